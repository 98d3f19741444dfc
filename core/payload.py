"""The arguments of an announced call as JSON: `Json` regions."""

from __future__ import annotations

from unbraid.core.arguments import NO_ARGUMENTS, read_argument
from unbraid.core.records import InJson
from unbraid.core.rows import lexeme, row_for, take_row
from unbraid.core.run import Run


def payload(run: Run) -> bool:
    """Read on in the arguments. False: more input is needed."""
    at = run.at
    if not isinstance(at, InJson):
        return False
    argument, status = read_argument(run, at.argument, decode=False)
    run.at = InJson(at.region, argument)
    if status == "more":
        return False
    if status == "done":
        run.end_call(complete=True)
        _leave(run, "@closed")
    elif status == "bad":
        run.break_off("malformed")
        _leave(run, "@bad")
    else:
        _at_marker(run, broken=status == "broken", empty=argument.form == "start")
    return True


def _leave(run: Run, pseudo: str) -> None:
    row = row_for(run, pseudo)
    if row is not None:
        take_row(run, row, pseudo, 0, 0)


def _at_marker(run: Run, *, broken: bool, empty: bool) -> None:
    """The block goes on or ends although the arguments did not."""
    if broken:
        run.break_off("unterminated_string")
        run.markup("framing", 1)
    elif not empty:
        run.break_off("malformed")
    else:
        run.arguments(NO_ARGUMENTS)
        run.end_call(complete=True)
    found = run.region.lexicon.bare.match(run.buf, run.pos)
    if found is not None:
        entry = run.region.lexicon.lexemes[found.group()]
        lexeme(run, entry.terminal, 0, entry.size)
