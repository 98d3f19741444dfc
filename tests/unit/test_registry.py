"""Names of formats."""

from importlib import import_module

import pytest

from unbraid.core.errors import UnknownFormat
from unbraid.core.grammar import Format
from unbraid.formats.registry import ENTRIES, Role, formats, lookup, names

ROLES: tuple[Role, ...] = ("reasoning", "tools")

# The names under which serving systems know these families, by role.
KNOWN: dict[Role, str] = {
    "reasoning": (
        "qwen3 seed_oss mimo step3p5 step5 nemotron_v3 granite_thinking_parser deepseek_r1 deepseek_v3 holo2 k2_horizon "
        "openai_gptoss qwen3-thinking interns1 dots nanbeige nemotron_3 deepseek-r1 deepseek-v3 gigachat35 gpt-oss "
        "qwen3_thinking base basic thinking deepseek_v31 nano_v3 nemotron3 nemotron_nano gpt_oss harmony qwen3.5 ornith "
        "deepseek_v4 deepseek_v41 deepseek-v4 deepseek-v41 glm45 glm47 ling3 poolside_v1 hy_v3 hy_v4 hunyuan minimax "
        "minimax_m2 minimax_m2_append_think minimax-append-think minimax_append_think minimax_m3 minimax-m3 laguna"
    ),
    "tools": (
        "hermes qwen3_json qwen3_coder qwen3_xml longcat seed_oss mimo step3p5 step5 llama3_json llama4_json k2_horizon "
        "openai qwen qwen25 trinity nanbeige llama3 gpt-oss qwen_xml qwen_coder llama nemotron_nano qwen3-coder qwen3.5 "
        "ornith nemotron-3-nano nemotron-3.5-nano qwen3 qwen3-thinking qwen3-vl-instruct qwen3-vl-thinking harmony "
        "json_tools deepseek_v32 deepseekv32 deepseek32 deepseek_v3_2 deepseek_v4 deepseekv4 deepseek_v41 deepseekv41 "
        "gigachat35 glm glm45 glm47 glm-4.7 glm-ocr glm45_moe glm47_moe ling3 poolside_v1 poolside-v1 laguna spark25 "
        "hy_v3 hy_v4 hunyuan minimax_m2 minimax-m2 minimax_m3 minimax-m3"
    ),
}


@pytest.mark.parametrize("role", ROLES)
def test_names_of_serving_systems_resolve(role: Role) -> None:
    assert set(KNOWN[role].split(" ")) <= set(names(role))


@pytest.mark.parametrize("role", ROLES)
def test_every_name_is_the_record_s_own(role: Role) -> None:
    for name in names(role):
        fmt = lookup(role, name).unwrap()
        assert name in (fmt.name, *fmt.aliases)
        assert fmt.reasoning if role == "reasoning" else fmt.tools


def test_every_name_of_a_record_resolves_to_it() -> None:
    for fmt in formats():
        for role in ROLES:
            if fmt.reasoning if role == "reasoning" else fmt.tools:
                for name in (fmt.name, *fmt.aliases):
                    assert lookup(role, name).unwrap() is fmt


def test_every_format_of_a_family_is_in_the_table() -> None:
    modules = {module for entries in ENTRIES.values() for module, _ in entries.values()}
    for module in modules:
        family = vars(import_module(f"unbraid.formats.{module}"))
        written = {attribute for attribute, value in family.items() if isinstance(value, Format)}
        listed = {attribute for entries in ENTRIES.values() for home, attribute in entries.values() if home == module}
        assert {getattr(import_module(f"unbraid.formats.{module}"), name) for name in written} <= set(formats())
        assert listed <= written


def test_formats_are_listed_once() -> None:
    listed = list(formats())
    assert len({(fmt.name, fmt.reasoning, fmt.tools) for fmt in listed}) == len(listed)


@pytest.mark.parametrize(
    ("role", "name", "nearest", "other"),
    [
        ("tools", "Qwen3_Coder", ("qwen3_coder",), False),
        ("tools", "qwen3codr", ("qwen3_coder",), False),
        ("tools", "deepseek_r1", (), True),
        ("reasoning", "hermes", (), True),
        ("reasoning", "zzz", (), False),
    ],
)
def test_unknown_names(role: Role, name: str, nearest: tuple[str, ...], other: bool) -> None:
    defect = lookup(role, name).failure()
    assert defect == UnknownFormat(name, role, defect.nearest, other)
    assert defect.nearest[: len(nearest)] == nearest
    assert defect.describe().startswith(f"there is no {role} format {name!r}")


def test_the_text_names_the_other_half_and_the_nearest_names() -> None:
    defect = UnknownFormat("hermez", "tools", ("hermes", "mimo"), other_half=True)
    assert defect.describe() == (
        "there is no tools format 'hermez' (that name exists for reasoning); did you mean 'hermes' or 'mimo'?"
    )
