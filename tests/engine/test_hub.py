"""Names on the Hugging Face Hub, and fetching, with a stub in the place of `huggingface_hub`."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType

import pytest
from judge import is_available

from gbnfc.cli.app import run
from gbnfc.engine.hub import HubName, all_parts, download_model, model_files, pick_file
from gbnfc.engine.hub import read_hub_name as read
from gbnfc.engine.models import find_model
from gbnfc.errors import EngineError

NAMES = [
    ("acme/tiny", HubName("acme/tiny")),
    ("hf://acme/tiny", HubName("acme/tiny")),
    ("acme/tiny:Q4_K_M", HubName("acme/tiny", quantisation="Q4_K_M")),
    ("hf://acme/tiny/a-q8.gguf", HubName("acme/tiny", file="a-q8.gguf")),
    ("acme/tiny/sub/a.GGUF", HubName("acme/tiny", file="sub/a.GGUF")),
    ("tiny", None),
    ("acme/tiny/a.bin", None),
    ("acme/tiny:", None),
    ("/home/me/a.gguf", None),
    ("https://example.org/a.gguf", None),
    ("acme/tiny:q/4", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "name"), NAMES, ids=[text for text, _ in NAMES])
def test_names(text, name):
    assert read(text) == name


FILES = [
    "README.md",
    "a-Q2_K.gguf",
    "a-Q4_K_M.gguf",
    "a-Q8_0.gguf",
    "mmproj-a-Q2_K.gguf",
    "sub/big-F16-00001-of-00002.gguf",
    "sub/big-F16-00002-of-00002.gguf",
]
PICKS = [
    ("o/r", FILES, "a-Q4_K_M.gguf"),
    ("o/r:q8_0", FILES, "a-Q8_0.gguf"),
    ("o/r:F16", FILES, "sub/big-F16-00001-of-00002.gguf"),
    ("o/r:Q4_K", FILES, None),
    ("o/r:8_0", FILES, None),
    ("o/r/A-q2_k.gguf", FILES, "a-Q2_K.gguf"),
    ("o/r/none.gguf", FILES, None),
    ("o/r", ["z.gguf", "y.gguf"], "y.gguf"),
    ("o/r", ["b.Q8_0.gguf", "a.gguf"], "b.Q8_0.gguf"),
    ("o/r", ["README.md"], None),
]


@pytest.mark.parametrize(("name", "files", "picked"), PICKS)
def test_which_file_is_meant(name, files, picked):
    assert pick_file(files, read(name)) == picked


def test_split_models():
    assert len(model_files(FILES)) == 4
    assert all_parts("a.gguf") == ("a.gguf",)
    assert all_parts(FILES[-2]) == tuple(FILES[-2:])


class FakeWebError(Exception):
    pass


class FakeHubError(FakeWebError, OSError):
    pass


def error_class(name, *bases):
    return type(name, bases or (FakeHubError,), {})


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """A stand-in that puts files where the real one does, and notes what it was asked for."""
    fake, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")
    constants = ModuleType("huggingface_hub.constants")
    constants.ENDPOINT = "https://hub.example"
    errors.HfHubHTTPError = FakeHubError
    errors.EntryNotFoundError = error_class("EntryNotFoundError", Exception)
    fake.asked, fake.fault, fake.silence = [], None, None

    def download(repository, file):
        fake.asked.append((repository, file))
        if fake.fault is not None:
            raise fake.fault
        if file not in FILES:
            raise error_class("RemoteEntryNotFoundError")("404")
        folder = f"models--{repository.replace('/', '--')}"
        path = tmp_path / "hf" / "hub" / folder / "snapshots" / "a1" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"GGUF")
        return str(path)

    class Api:
        def list_repo_files(self, repository):
            if fake.fault is not None:
                raise fake.fault
            return ["x.bin"] if repository == "o/empty" else FILES

    class Session:
        def head(self, url, timeout):
            assert url == constants.ENDPOINT
            if fake.silence is not None:
                fake.silence()

    fake.hf_hub_download, fake.HfApi, fake.get_session = download, Api, Session
    monkeypatch.setitem(sys.modules, "huggingface_hub.constants", constants)
    monkeypatch.setitem(sys.modules, "huggingface_hub", fake)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    return fake


@pytest.mark.parametrize("name", ["o/r", "o/r:Q8_0", "o/r:F16", "hf://o/r/a-Q2_K.gguf"])
def test_what_was_fetched_is_found_again_by_its_name(hub, name):
    with pytest.raises(EngineError, match="--download"):
        find_model(name)
    said = []
    path = download_model(name, said.append)
    assert path.read_bytes() == b"GGUF"
    assert "downloading o/r/" in said[0]
    asked = list(hub.asked)
    assert find_model(name) == path
    assert find_model(name.upper().replace("HF://", "hf://")) == path
    assert hub.asked == asked
    assert len(asked) == (2 if "F16" in name else 1)


FAULTS = [
    (error_class("RepositoryNotFoundError")("404\nmore"), "no such repository"),
    (error_class("GatedRepoError")("403"), "terms must be accepted"),
    (FakeWebError("[Errno -2] Name or service not known"), "service not known.*\n.*network"),
    (FakeHubError("500"), "500"),
    (TimeoutError(), "TimeoutError"),
    (OSError(28, "No space left on device"), "No space left"),
    (ValueError("bad repo id"), "bad repo id"),
    (RuntimeError("transfer broke off"), "transfer broke off"),
]


@pytest.mark.parametrize(("fault", "says"), FAULTS, ids=[type(f).__name__ for f, _ in FAULTS])
@pytest.mark.parametrize("name", ["o/r", "o/r/a.gguf"])
def test_a_fault_is_an_error_with_its_cause(hub, fault, says, name):
    hub.fault = fault
    with pytest.raises(EngineError, match=says):
        download_model(name, print)


def refused():
    raise FakeWebError("[Errno -2] Name or service not known")


def offline():
    raise ConnectionError("Cannot reach the Hub: offline mode is enabled")


NO_NETWORK = [
    (refused, "service not known"),
    (offline, "offline mode"),
    (lambda: threading.Event().wait(60), "https://hub.example does not answer"),
]


@pytest.mark.parametrize(("silence", "says"), NO_NETWORK)
def test_without_a_network_the_hub_is_asked_once(hub, monkeypatch, capsys, silence, says):
    monkeypatch.setattr("gbnfc.engine.hub._ANSWER_TIMEOUT_S", 0.2)
    hub.silence = silence
    began = time.monotonic()
    assert run(["models", "--download", "o/r"]) == 4
    assert time.monotonic() - began < 5
    out, err = capsys.readouterr()
    assert (out, hub.asked) == ("", [])
    error, hint = err.splitlines()
    assert error.startswith("error: o/r: cannot be downloaded: ")
    assert says in error
    assert hint.startswith("  hint: is the network there?")


MISSING = [
    ("o/empty", "holds no .gguf file"),
    ("o/r:Q3_K", "no file with quantisation Q3_K\n.*a-Q4_K_M.gguf"),
    ("o/r/none.gguf", "no such file"),
    ("plain", "not a name on the Hugging Face Hub"),
]


@pytest.mark.parametrize(("name", "says"), MISSING)
def test_what_is_not_there(hub, name, says):
    with pytest.raises(EngineError, match=says):
        download_model(name, print)


def test_without_the_library_the_command_to_install_it_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert run(["models", "--download", "o/r"]) == 4
    assert 'pip install "gbnfc[hub]"' in capsys.readouterr().err


def test_the_command_lists_what_it_fetched(hub, capsys):
    assert run(["models", "--download", "o/r:Q8_0"]) == 0
    out, err = capsys.readouterr()
    assert "o/r:Q8_0" in out
    assert err == "downloading o/r/a-Q8_0.gguf\n"


@pytest.mark.skipif(not is_available(), reason="needs the extra `llama`")
@pytest.mark.parametrize(("option", "asked"), [([], []), (["--download"], [("o/r", FILES[3])])])
def test_extract_fetches_only_when_told_to(hub, tmp_path, capsys, option, asked):
    (tmp_path / "doc.txt").write_text("x")
    arguments = ["extract", "-s", "name str", "-m", "o/r:Q8_0", *option, str(tmp_path / "doc.txt")]
    assert run(arguments) == 4  # what is fetched is no whole model
    assert hub.asked == asked
    assert ("--download" in capsys.readouterr().err) is not bool(option)
