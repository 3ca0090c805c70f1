"""The `format` keyword: which strings each format name allows.

In: a format name and a draft. Out: its language as a pattern and an automaton, and how close that
is to the specification. A name that the draft does not define is an annotation: it has none.

Each language is the grammar of its RFC, built by name from smaller parts. Where the RFC's language
is not regular, or would need thousands of rules, `exactness` says in which direction ours differs
and `note` how.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property

from gbnfc.regex import Dfa, compile_pattern

_DRAFTS = ("4", "6", "7", "2019-09", "2020-12")


class Exactness(Enum):
    """How an automaton stands to the language of the specification."""

    EXACT = "exact"
    WIDER = "wider"
    NARROWER = "narrower"


@dataclass(frozen=True)
class FormatLanguage:
    """The strings of one format.

    `pattern` is anchored and reads like the RFC; `dfa` is compiled from it on first use. `note`
    explains an `exactness` other than `EXACT`, as a sentence; it is empty otherwise.
    """

    pattern: str
    exactness: Exactness = Exactness.EXACT
    note: str = ""

    @cached_property
    def dfa(self) -> Dfa:
        """The automaton of `pattern`, over characters (not JSON escapes)."""
        return compile_pattern(self.pattern)


def format_automaton(name: str, draft: str) -> FormatLanguage | None:
    """Return the language of the format `name` in `draft`; `None`: not a format there.

    `draft` is one of "4", "6", "7", "2019-09", "2020-12". The same object is returned each time.

    >>> format_automaton("date", "2020-12").dfa.accepts("2023-02-29")
    False
    """
    since = _SINCE.get(name)
    if since is None or _DRAFTS.index(draft) < _DRAFTS.index(since):
        return None
    index_manipulation = name == "relative-json-pointer" and draft in ("2019-09", "2020-12")
    return _language("relative-json-pointer+" if index_manipulation else name)


# Validators check `date`, `time`, `regex` and `idn-email` in every draft, so no less is done here.
_SINCE = {
    "date": "4",
    "date-time": "4",
    "duration": "2019-09",
    "email": "4",
    "hostname": "4",
    "idn-email": "4",
    "idn-hostname": "7",
    "ipv4": "4",
    "ipv6": "4",
    "iri": "7",
    "iri-reference": "7",
    "json-pointer": "6",
    "regex": "4",
    "relative-json-pointer": "7",
    "time": "4",
    "uri": "4",
    "uri-reference": "6",
    "uri-template": "6",
    "uuid": "2019-09",
}

FORMAT_NAMES = tuple(_SINCE)
"""Every format name of every draft, sorted."""


@cache
def _language(name: str) -> FormatLanguage:
    match name:
        case "date":
            return FormatLanguage(_whole(_date()))
        case "time":
            return FormatLanguage(_whole(_time()), Exactness.NARROWER, _LEAP_SECOND)
        case "date-time":
            return FormatLanguage(_whole(_date_time()), Exactness.NARROWER, _LEAP_SECOND)
        case "duration":
            return FormatLanguage(_whole(_duration()))
        case "email":
            return FormatLanguage(_whole(_email(_ATEXT, _LABEL)), Exactness.WIDER, _EMAIL_LENGTH)
        case "idn-email":
            pattern = _email(_NON_ASCII + _ATEXT, _IDN_LABEL)
            return FormatLanguage(_whole(pattern), Exactness.WIDER, f"{_EMAIL_LENGTH}; {_IDNA}")
        case "hostname":
            pattern = f"{_LABEL}(?:\\.{_LABEL})*"
            return FormatLanguage(_whole(pattern), Exactness.WIDER, _HOST_LENGTH)
        case "idn-hostname":
            pattern = f"{_IDN_LABEL}(?:[.\u3002\uff0e\uff61]{_IDN_LABEL})*"
            return FormatLanguage(_whole(pattern), Exactness.WIDER, f"{_HOST_LENGTH}; {_IDNA}")
        case "ipv4":
            return FormatLanguage(_whole(_IPV4))
        case "ipv6":
            return FormatLanguage(_whole(_ipv6()))
        case "uri":
            return FormatLanguage(_whole(_uri(_URI)))
        case "uri-reference":
            return FormatLanguage(_whole(_reference(_URI)))
        case "iri":
            return FormatLanguage(_whole(_uri(_IRI)))
        case "iri-reference":
            return FormatLanguage(_whole(_reference(_IRI)))
        case "uri-template":
            return FormatLanguage(_whole(_uri_template()))
        case "uuid":
            return FormatLanguage(_whole(_UUID))
        case "json-pointer":
            return FormatLanguage(_whole(_JSON_POINTER))
        case "relative-json-pointer":
            return FormatLanguage(_whole(f"(?:0|[1-9]\\d*)(?:#|{_JSON_POINTER})"))
        case "relative-json-pointer+":
            shift = "(?:[+-][1-9]\\d*)?"
            return FormatLanguage(_whole(f"(?:0|[1-9]\\d*){shift}(?:#|{_JSON_POINTER})"))
        case "regex":
            return FormatLanguage("", Exactness.WIDER, _REGEX)
        case _:
            raise KeyError(name)


def _whole(*alternatives: str) -> str:
    return f"^(?:{'|'.join(alternatives)})$"


# Dates and times: RFC 3339 section 5.6, calendar-correct as section 5.7 demands. ------------------

_LEAP_SECOND = (
    "a leap second (…:60) is only written as 23:59:60 with the offset Z, +00:00 or -00:00, "
    "not at the same moment in other offsets"
)
_HOUR = r"(?:[01]\d|2[0-3])"
_SIXTY = r"[0-5]\d"
_FRACTION = r"(?:\.\d+)?"
_OFFSET = rf"(?:[Zz]|[+-]{_HOUR}:{_SIXTY})"
_LEAP = rf"23:59:60{_FRACTION}(?:[Zz]|[+-]00:00)"


def _date() -> str:
    """RFC 3339 `full-date`: the days that each month has, 29 February in Gregorian leap years."""
    long_months = r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])"
    short_months = r"(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    february = r"02-(?:0[1-9]|1\d|2[0-8])"
    leap_year = r"(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    return rf"(?:\d{{4}}-(?:{long_months}|{short_months}|{february})|{leap_year}-02-29)"


def _time() -> str:
    """RFC 3339 `full-time`."""
    return rf"(?:{_HOUR}:{_SIXTY}:{_SIXTY}{_FRACTION}{_OFFSET}|{_LEAP})"


def _date_time() -> str:
    """RFC 3339 `date-time`; a leap second ends June or December (section 5.7)."""
    usual = rf"{_date()}[Tt]{_HOUR}:{_SIXTY}:{_SIXTY}{_FRACTION}{_OFFSET}"
    return rf"(?:{usual}|\d{{4}}-(?:06-30|12-31)[Tt]{_LEAP})"


def _duration() -> str:
    """RFC 3339 appendix A `duration`: units in order, none left out between two."""
    time = r"T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)"
    date = r"(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)"
    return rf"P(?:{date}(?:{time})?|{time}|\d+W)"


# Hosts and mail: RFC 1123 section 2.1, RFC 5321 section 4.1.2. ------------------------------------

_HOST_LENGTH = (
    "the total length of 253 and the validity of labels with -- in third place (xn--…) "
    "are not checked"
)
_EMAIL_LENGTH = "the length limits of RFC 5321 section 4.5.3.1 are not checked"
_IDNA = "which characters IDNA 2008 allows where (RFC 5892) is only approximated"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_NON_ASCII = r"\u{80}-\u{10FFFF}"
# RFC 5892: letters, marks and digits; the exceptions of section 2.6; what its appendix A allows in
# some contexts, in the places where that can be.
_IDN_FIRST = r"\p{L}\p{N}\u06FD\u06FE\u0F0B\u30FB\u0375"
_IDN_LAST = r"\p{L}\p{M}\p{N}\u06FD\u06FE\u0F0B\u30FB\u05F3\u05F4\u200C\u200D"
_IDN_LABEL = rf"[{_IDN_FIRST}](?:[{_IDN_LAST}\u0375\u00B7-]{{0,61}}[{_IDN_LAST}])?"
_ATEXT = "A-Za-z0-9!#$%&'*+/=?^_`{|}~-"
_OCTET = r"(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"


def _email(atext: str, label: str) -> str:
    """RFC 5321 `Mailbox` (RFC 6531 for other scripts): dot-string or quoted string, then host."""
    beyond = _NON_ASCII if _NON_ASCII in atext else ""
    dot_string = rf"[{atext}]+(?:\.[{atext}]+)*"
    quoted = rf'"(?:[ !#-\[\]-~{beyond}]|\\[ -~{beyond}])*"'
    literal = rf"\[(?:{_IPV4}|[Ii][Pp][Vv]6:{_ipv6()})\]"
    return rf"(?:{dot_string}|{quoted})@(?:{label}(?:\.{label})*|{literal})"


def _ipv6() -> str:
    """RFC 4291 section 2.2, as the ABNF of RFC 3986 section 3.2.2 writes it (`IPv6address`)."""
    group = "[0-9A-Fa-f]{1,4}"
    last = f"(?:{group}:{group}|{_IPV4})"
    before = [f"(?:(?:{group}:){{0,{count}}}{group})?" for count in range(7)]
    forms = [
        f"(?:{group}:){{6}}{last}",
        f"::(?:{group}:){{5}}{last}",
        *(f"{before[n]}::(?:{group}:){{{4 - n}}}{last}" for n in range(5)),
        f"{before[5]}::{group}",
        f"{before[6]}::",
    ]
    return f"(?:{'|'.join(forms)})"


# Resource identifiers: RFC 3986 appendix A, RFC 3987 section 2.2. ---------------------------------


@dataclass(frozen=True)
class _Characters:
    """What may stand raw in a URI or IRI: class contents for all parts, and more for queries."""

    unreserved: str
    private: str = ""


_PLANES = "".join(rf"\u{{{plane:x}0000}}-\u{{{plane:x}FFFD}}" for plane in range(1, 14))
_URI = _Characters(r"A-Za-z0-9._~-")
_IRI = _Characters(
    r"A-Za-z0-9._~\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF"
    + _PLANES.replace(r"\u{e0000}", r"\u{e1000}")
    + r"\u{E1000}-\u{EFFFD}-",
    r"\uE000-\uF8FF\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}",
)
_SUB_DELIMS = "!$&'()*+,;="


_PERCENT = "%[0-9A-Fa-f]{2}"


def _some(allowed: str, extra: str = "") -> str:
    return rf"(?:[{extra}{_SUB_DELIMS}{allowed}]|{_PERCENT})"


# The parts below are arranged so that the next character always decides, unlike in the ABNF: such a
# pattern becomes a readable grammar. `a:1@b`, for example, is read as a name, then `:`, then digits
# that are a port unless something else follows.


def _authority(chars: _Characters) -> str:
    """RFC 3986 `authority`: `[ userinfo "@" ] host [ ":" port ]`."""
    future = rf"[Vv][0-9A-Fa-f]+\.[:{_SUB_DELIMS}{_URI.unreserved}]+"
    bracketed = rf"\[(?:{_ipv6()}|{future})\]"
    name = f"{_some(chars.unreserved)}*"
    host_port = rf"(?:{bracketed}|{name})(?::\d*)?"
    no_digit = chars.unreserved.replace("0-9", "")
    more_user = rf"{_some(no_digit, ':')}{_some(chars.unreserved, ':')}*"
    named = rf"{name}(?::\d*(?:(?:{more_user})?@{host_port})?|@{host_port})?"
    return rf"(?:{bracketed}(?::\d*)?|{named})"


def _tail(chars: _Characters) -> str:
    """`[ "?" query ] [ "#" fragment ]`."""
    query = _some(chars.private + chars.unreserved, "/?:@")
    fragment = _some(chars.unreserved, "/?:@")
    return rf"(?:\?{query}*)?(?:#{fragment}*)?"


def _from_slash(chars: _Characters) -> str:
    """`"//" authority path-abempty / path-absolute`."""
    segment = _some(chars.unreserved, ":@")
    return rf"/(?:/{_authority(chars)}(?:/{segment}*)*|{segment}+(?:/{segment}*)*)?"


def _after_scheme(chars: _Characters) -> str:
    """RFC 3986 `hier-part`."""
    segment = _some(chars.unreserved, ":@")
    return rf"(?:{_from_slash(chars)}|{segment}+(?:/{segment}*)*)?"


def _uri(chars: _Characters) -> str:
    return rf"[A-Za-z][A-Za-z0-9+.-]*:{_after_scheme(chars)}{_tail(chars)}"


def _reference(chars: _Characters) -> str:
    """RFC 3986 `URI-reference`: what begins like a scheme is one if a colon follows."""
    segments = rf"(?:/{_some(chars.unreserved, ':@')}*)*"
    no_colon = _some(chars.unreserved, "@")
    no_letter = chars.unreserved.replace("A-Za-z", "")
    no_scheme = no_letter.replace("0-9", "").replace(".", "").removesuffix("-")
    beyond_scheme = rf"(?:[@!$&'()*,;={no_scheme}]|{_PERCENT})"
    scheme_like = (
        rf"[A-Za-z][A-Za-z0-9+.-]*"
        rf"(?::{_after_scheme(chars)}|(?:{beyond_scheme}{no_colon}*)?{segments})"
    )
    path = rf"{_some(no_letter, '@')}{no_colon}*{segments}"
    return rf"(?:{scheme_like}|{path}|{_from_slash(chars)})?{_tail(chars)}"


def _uri_template() -> str:
    """RFC 6570 section 2 (with its erratum 6937: an apostrophe is a literal)."""
    literal = rf"(?:[!#$&-;=?-\[\]_a-z~{_IRI.private}{_IRI.unreserved}]|%[0-9A-Fa-f]{{2}})"
    var_char = r"(?:\w|%[0-9A-Fa-f]{2})"
    variable = rf"{var_char}+(?:\.{var_char}+)*(?::[1-9]\d{{0,3}}|\*)?"
    return rf"(?:{literal}|\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}})*"


# The rest: RFC 4122 section 3, RFC 6901 section 3, draft-bhutton-relative-json-pointer-00. ------

_UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_JSON_POINTER = "(?:/(?:[^/~]|~[01])*)*"
_REGEX = "regular expressions nest, which no automaton can check, so any string is accepted"
