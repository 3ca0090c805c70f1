"""Words that mark a field as written by the model, by the kind of evidence they are.

In: a field's name, its description and its bounds. Out: why the document may not hold the value in
its own words, or `None`. English only; a field in another language says it with `x-gbnfc-source`.
"""

from __future__ import annotations

import re
from typing import Any

_WRITTEN: dict[str, str] = {
    "a retelling": "summary summaries summarization synopsis overview gist tldr digest recap "
    "paraphrase takeaway takeaways highlights insight insights caption abstractive",
    "reasoning": "reason reasons reasoning rationale explanation explanations justification "
    "justifications thought thoughts thinking analysis scratchpad why interpretation assessment "
    "evaluation critique conclusion conclusions inference hypothesis implications",
    "the model's answer": "answer response reply recommendation recommendations suggestion "
    "suggestions advice feedback draft followup",
    "a translation": "translation translations translated transliteration romanized",
    "another form": "normalized normalised canonical corrected cleaned rewritten rephrased "
    "standardized standardised slug",
    "a judgement": "sentiment category categories class classification label labels tag tags topic "
    "topics theme themes tone mood emotion intent polarity stance verdict decision severity "
    "urgency importance relevance confidence probability likelihood",
    "counted": "count counts average mean median",
}
"""What is written, and the words of names that say so."""

_KIND_OF_WORD = {word: kind for kind, words in _WRITTEN.items() for word in words.split()}

_DESCRIBED = (
    (
        "a retelling",
        r"summari[sz]|paraphras|in your own words|one[- ]sentence|in a sentence|brief ",
    ),
    ("reasoning", r"\bexplain|\bdescribe (?:why|how)|\bwhy\b|reason(?:s|ing)? for|step by step"),
    ("a translation", r"\btranslat|\bin (?:english|german|french|spanish|italian)\b"),
    (
        "another form",
        r"normali[sz]e|standardi[sz]e|\bconvert|\biso[- ]?[0-9]|upper-?case|lower-?case",
    ),
    ("a judgement", r"\bclassif|\binfer|\bestimate|\bjudge|sentiment|\brate how\b|confidence"),
    ("the model's answer", r"\bgenerate|\bsuggest|\brecommend|\bcompose\b|\bwrite an?\b"),
    ("counted", r"\b(?:number|count) of\b|how many"),
)
_DESCRIPTIONS = tuple((kind, re.compile(form, re.IGNORECASE)) for kind, form in _DESCRIBED)
_VERBATIM = re.compile(
    r"verbatim|as (?:printed|written|stated|given)|word for word|quot(?:e|ed|ation)|exactly as",
    re.IGNORECASE,
)
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def written_by_model(name: str, schemas: list[dict[str, Any]], *, is_number: bool) -> str | None:
    """Return what marks a field as written by the model; `None` where nothing does.

    `schemas` are those that describe the field. A description that asks for the text's own words
    outweighs everything; a number between 0 and 1 is a judgement.
    """
    described = " ".join(str(each.get("description", "")) for each in schemas)
    if _VERBATIM.search(described):
        return None
    for part in _NAME_PARTS.findall(name):
        kind = _KIND_OF_WORD.get(part.lower())
        if kind is not None and (is_number or kind != "counted"):
            return f"{kind}, by its name"
    for kind, form in _DESCRIPTIONS:
        if form.search(described) and (is_number or kind != "counted"):
            return f"{kind}, by its description"
    if is_number and any(each.get("minimum") == 0 and each.get("maximum") == 1 for each in schemas):
        return "a judgement, by its bounds"
    return None
