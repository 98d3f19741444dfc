"""Speculative decoding: draft tokens are proposed, the accepted ones are sent, the rest never was."""

from collections.abc import Callable, Iterator, Sequence

from unbraid import Plan
from unbraid.shell.handover import handed, taken
from unbraid.shell.speculative import Draft, SpeculativeChat
from unbraid.shell.sse import DONE, frames

Drafter = Callable[[], Sequence[int]]  # the next tokens, as a small model guesses them; none: the answer is over
Verifier = Callable[[Draft], int]  # how many of them the large model would have written


def generate(plan: Plan, prompt: Sequence[int], guess: Drafter, verify: Verifier) -> Iterator[bytes]:
    chat = SpeculativeChat(plan, prompt=prompt)
    while ids := guess():
        draft = chat.propose(ids)  # draft.events: what the ids would mean; the client sees nothing of it yet
        # From draft.reasoning_end on a grammar for the answer applies; where draft.provisional is not None, one for calls.
        count = verify(draft)
        yield frames(chat.accept(count))
        if chat.stopped is not None:
            break
        chat = taken(plan, handed(chat)).unwrap()  # JSON: another process may go on from here
    yield frames(chat.finish()) + DONE
