"""The states of a matcher, made on demand: every parse of a prefix at once.

In: a `Network`. Out: a `Program` whose `State`s map a character to the next state. A state is the
set of all places where a parse can be, each with its return address: a `Node`, which is itself a
set of (code, node) pairs. So all stacks of llama.cpp's simulation live in one graph-structured
stack (Tomita 1985) whose nodes are immutable and shared; the bookkeeping is that of Earley's
algorithm with nullable prediction (Aycock & Horspool 2002) and tail calls. No grammar is
exponential.

States are interned by their content, which turns the parser into a lazily built automaton: where
text repeats itself, a step is one dictionary look-up. The memory for this is bounded; when it is
full everything that no matcher holds is forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gbnfc.charset import EMPTY, CharSet
from gbnfc.match.closure import Closure, Closures
from gbnfc.match.network import END, Call, Network, Skip, Text

if TYPE_CHECKING:
    from gbnfc.match.alphabet import Key

MAX_STACKS = 10**9
"""Where the counting of stacks stops (their number grows exponentially in bad grammars)."""

_MAX_STATES = 20_000
_MAX_CHARS_PER_STATE = 400
_MIN_JUMP = 2
_MAX_CHASE = 32


class Node:
    """A return address: the places where parsing may go on when a frame ends.

    `stacks` is the number of distinct stacks below (bounded by `MAX_STACKS`), `cost` the least
    number of characters that empties one of them, `depth` the frames on the shortest one.
    """

    __slots__ = ("cost", "depth", "items", "stacks")

    def __init__(self) -> None:
        self.items: tuple[Item, ...] = ()
        self.stacks = MAX_STACKS
        self.cost: int | None = None
        self.depth = 0


Item = tuple[int, Node]
"""A place (a code of the network) and where its frame returns to."""


_NO_WAITS: dict[int, dict[tuple[int, Node | int], None]] = {}
_NO_NODES: dict[int, Node] = {}


class State(dict[str, "State"]):
    """Where the parses of a prefix are. `state[char]` is the next state, `DEAD` when there is none.

    `places` are those right behind what was read; `accepts` tells that the text may end here.
    """

    __slots__ = ("_groups", "_nodes", "_program", "_waits", "accepts", "jump", "places")

    def __init__(self, program: Program, items: tuple[Item, ...], accepts: bool) -> None:
        self._program = program
        self.places = items
        self.accepts = accepts
        self.jump: Jump | None = program.find_jump(items, accepts)
        self._groups: tuple[tuple[Closure, Node | int], ...] | None = None
        self._waits = _NO_WAITS  # most states call nothing: they share these two
        self._nodes = _NO_NODES

    def __missing__(self, char: str) -> State:
        program = self._program
        key = program.key(char)
        following = DEAD if key is None else self._move(key)
        if len(self) < _MAX_CHARS_PER_STATE:
            self[char] = following
        return following

    def _move(self, key: Key) -> State:
        closures = self._program.closures
        moved: dict[Item, None] = {}
        for closure, link in self.groups():
            codes = closure.moves.get(key)
            if codes is None:
                codes = closures.moves(closure, key)
            if codes:
                node = link if isinstance(link, Node) else self.node(link)
                for code in codes:
                    moved[code, node] = None
        return self._program.state(moved) if moved else DEAD

    def groups(self) -> tuple[tuple[Closure, Node | int], ...]:
        """Return every place that can read, as closures with their return address.

        The address is a node of an earlier state, or the number of a frame that is called from this
        state: `node` makes that one's node when it is first needed.
        """
        if self._groups is None:
            self._groups = self._expand()
        return self._groups

    def _expand(self) -> tuple[tuple[Closure, Node | int], ...]:
        closures = self._program.closures
        closure_of = closures.known
        waits: dict[int, dict[tuple[int, Node | int], None]] = {}
        groups: list[tuple[Closure, Node | int]] = []
        todo: list[tuple[int, Node | int]] = list(self.places)
        for code, link in todo:  # grows while it is read
            closure = closure_of[code]
            if closure.sources:
                groups.append((closure, link))
            for frame, target in closure.calls:
                if frame not in waits:
                    waits[frame] = {}
                    todo.append((closures.network.entries[frame], frame))
                waits[frame][target, link] = None
        if waits:
            self._waits, self._nodes = waits, {}
        return tuple(groups)

    def node(self, link: Node | int) -> Node:
        """Return the node of a return address that `groups` gave."""
        if isinstance(link, Node):
            return link
        if link not in self._nodes:
            self._make_nodes(link)
        return self._nodes[link]

    def _make_nodes(self, frame: int) -> None:
        # Children first. A frame that waits for itself (left recursion) gets its node in advance.
        done: set[int] = set(self._nodes)
        opened: set[int] = set()
        cyclic = False
        todo = [frame]
        while todo:
            top = todo[-1]
            if top in done:
                todo.pop()
            elif top not in opened:
                opened.add(top)
                for _, link in self._waits[top]:
                    if isinstance(link, int) and link not in done:
                        if link not in opened:
                            todo.append(link)
                        elif link not in self._nodes:
                            self._nodes[link] = Node()
                            cyclic = True
            else:
                todo.pop()
                done.add(top)
                self._finish_node(top)
        if cyclic:
            self._program.settle_costs([self._nodes[number] for number in opened])

    def _finish_node(self, frame: int) -> None:
        items = tuple(
            (code, self._nodes[link] if isinstance(link, int) else link)
            for code, link in self._waits[frame]
        )
        if frame in self._nodes:
            self._nodes[frame].items = items
        else:
            self._nodes[frame] = self._program.node(items)

    def first(self) -> CharSet:
        """Return the characters that may come next."""
        chars = EMPTY
        for closure, _ in self.groups():
            chars = chars | closure.first()
        return chars

    def only_char(self) -> str | None:
        """Return the one character that may come next; `None` when there are more or none.

        A token terminal is a way out that no character stands for: it counts as more.
        """
        only: str | None = None
        for closure, _ in self.groups():
            single = closure.single()
            if single is None or (only is not None and single != only):
                return None
            only = single
        return only if only is not None and self._program.key(only) is not None else None

    def cost(self) -> int | None:
        """Return the least number of characters that completes the text; `None`: impossible."""
        if self.accepts:
            return 0
        return min(
            (c for item in self.places if (c := self._program.cost(item)) is not None), default=None
        )

    def stacks(self) -> int:
        """Return about how many parse stacks llama.cpp holds here, at most `MAX_STACKS`."""
        tops: dict[Node, set[tuple[int, int]]] = {}
        for closure, link in self.groups():
            tops.setdefault(self.node(link), set()).update(closure.sources)
        below = sum(len(sources) * node.stacks for node, sources in tops.items())
        return min(below + self.accepts, MAX_STACKS)


class Jump:
    """A state that can only read `text` from `start` on: read it in one go."""

    __slots__ = ("code", "following", "node", "start", "target", "text")

    def __init__(self, edge: Text, start: int, code: int, node: Node) -> None:
        self.text = edge.text
        self.start = start
        self.code = code
        self.target = edge.target
        self.node = node
        self.following: State | None = None


class _Dead(State):
    """The state behind a refused text: nothing leads out of it."""

    def __init__(self) -> None:
        self.places = ()
        self.accepts = False
        self.jump = None
        self._groups = ()

    def __missing__(self, char: str) -> State:
        return self


DEAD: State = _Dead()


class Program:
    """A grammar made ready for matching. Make it once with `compile_matcher` and share it.

    To its users it is immutable; inside it remembers states, up to a bound.
    """

    _BOTTOM_STACKS: ClassVar[int] = 1

    def __init__(self, network: Network) -> None:
        self.closures = Closures(network)
        self._states: dict[tuple[bool, frozenset[Item]], State] = {}
        self._nodes: dict[frozenset[Item], Node] = {}
        self.bottom = Node()
        self.bottom.stacks = self._BOTTOM_STACKS
        self.bottom.cost = 0
        self.start = self.state({(network.entries[0], self.bottom): None})

    def key(self, char: str) -> Key | None:
        """Return the key of `char` in this grammar; `None` for what no grammar can read."""
        if char == "\0" or "\ud800" <= char <= "\udfff":
            return None
        return self.closures.alphabet.key(char)

    def state(self, moved: dict[Item, None]) -> State:
        """Return the state whose places are `moved`, and all that their ended frames return to."""
        items: dict[Item, None] = {}
        accepts = False
        closure_of = self.closures.known
        todo = list(moved)
        seen = moved.keys() | ()
        for item in todo:  # grows while it is read
            code, node = item
            if code != END:
                items[item] = None
            if closure_of[code].ends:
                accepts = accepts or node is self.bottom
                for outer in node.items:
                    if outer not in seen:
                        seen.add(outer)
                        todo.append(outer)
        identity = (accepts, frozenset(items))
        found = self._states.get(identity)
        if found is None:
            if len(self._states) >= _MAX_STATES:
                self.forget()
            found = self._states[identity] = State(self, tuple(items), accepts)
        return found

    def node(self, items: tuple[Item, ...]) -> Node:
        """Return the node with these `items`."""
        identity = frozenset(items)
        found = self._nodes.get(identity)
        if found is None:
            found = self._nodes[identity] = Node()
            found.items = items
            found.stacks = min(sum(node.stacks for _, node in items), MAX_STACKS)
            found.depth = 1 + min(node.depth for _, node in items)
            found.cost = self._least(items)
        return found

    def cost(self, item: Item) -> int | None:
        """Return the least number of characters that completes the text from `item`."""
        code, node = item
        inner = self.closures.cost(code)
        return None if inner is None or node.cost is None else inner + node.cost

    def _least(self, items: tuple[Item, ...]) -> int | None:
        return min((c for item in items if (c := self.cost(item)) is not None), default=None)

    def settle_costs(self, nodes: list[Node]) -> None:
        """Lower the costs of `nodes`, which refer to each other in cycles, until none changes."""
        changed = True
        while changed:
            changed = False
            for node in nodes:
                least = self._least(node.items)
                if least != node.cost:
                    node.cost = least
                    changed = True
                node.depth = 1 + min(outer.depth for _, outer in node.items)

    def find_jump(self, items: tuple[Item, ...], accepts: bool) -> Jump | None:
        """Return the literal that must come when `items` are one place that leads only there."""
        if len(items) != 1 or accepts or not self.closures.alphabet.spells_all_literals:
            return None
        ((code, node),) = items
        counter, position = divmod(code, self.closures.size)
        returns: list[int] = []
        for _ in range(_MAX_CHASE):
            edges = self.closures.network.edges[position]
            if len(edges) != 1:
                return None
            edge = edges[0]
            if isinstance(edge, Text):
                if len(edge.text) - counter < _MIN_JUMP:
                    return None
                for target in returns:
                    node = self.node(((target, node),))
                return Jump(edge, counter, position + counter * self.closures.size, node)
            if isinstance(edge, Call) and not self.closures.is_nullable(edge.frame):
                if edge.target != END:
                    returns.append(edge.target)
                position = self.closures.network.entries[edge.frame]
            elif isinstance(edge, Skip):
                position = edge.target
            else:
                return None
        return None

    def remembered_states(self) -> int:
        """Return how many states are kept for the next text that comes along."""
        return len(self._states)

    def forget(self) -> None:
        """Drop every remembered state; matchers keep theirs and find their way again."""
        for state in self._states.values():
            state.clear()
            if state.jump is not None:
                state.jump.following = None
        self._states.clear()
        self._nodes.clear()
