"""Print the command that the README shows under a heading: the first ```sh block between "## HEADING" and the next heading.

Usage: python3 .ci/readme_block.py HEADING [README.md]. Exit code 1, and what is wrong on stderr, where there is no such block, or
where it is more than one command: in `a && b` followed by a second line, `sh -e` would not stop at a failing `a`.
"""

import sys
from pathlib import Path


def section(lines: list[str], heading: str) -> list[str] | None:
    """The lines after `## heading` up to the next heading of the same or a higher level; None where there is none."""
    try:
        start = lines.index(f"## {heading}") + 1
    except ValueError:
        return None
    fenced = False
    for end in range(start, len(lines)):
        fenced ^= lines[end].startswith("```")
        if not fenced and lines[end].startswith(("# ", "## ")):
            return lines[start:end]
    return lines[start:]


def block(lines: list[str]) -> list[str] | None:
    """The lines of the first ```sh block; None where there is none or it does not end."""
    try:
        start = lines.index("```sh") + 1
        return lines[start : lines.index("```", start)]
    except ValueError:
        return None


def defect(heading: str, text: str) -> tuple[str, str]:
    """The command and what is wrong with it; one of the two is empty."""
    found = section(text.splitlines(), heading)
    if found is None:
        return "", f'no heading "## {heading}"'
    command = block(found)
    if not command:
        return "", f'no ```sh block under "## {heading}"'
    if not all(line.endswith(("\\", "&&")) for line in command[:-1]):
        return "", f'the block under "## {heading}" is more than one command: join its lines with "&& \\"'
    return "\n".join(command), ""


def main(heading: str, path: str = "README.md") -> int:
    """Print the command, or say what is wrong. The exit code."""
    command, wrong = defect(heading, Path(path).read_text(encoding="utf-8"))
    if wrong:
        print(f"{path}: {wrong}", file=sys.stderr)
        return 1
    print(command)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
