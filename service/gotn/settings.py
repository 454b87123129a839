"""What can be set, where each value came from, and what is wrong with a bad one.

Option > environment > file > default (interfaces, Configuration). The file is
`config.toml` in GOTN_HOME where that is set, else in the user's configuration directory.
Import this only where settings are read: pydantic-settings costs a third of a second.
"""

import getpass
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from gotn.errors import Invalid

#: The API's port where none is set; the next free one is taken where it is in use.
DEFAULT_PORT = 8420
_PREFIX = "GOTN_"
_PROJECT = r"[a-z0-9][a-z0-9._-]{0,63}"
_PROJECT_RULE = "expected 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first"


def default_home() -> Path:
    """The user's data directory of GoTN; the settings' default for `home`."""
    return platformdirs.user_data_path("gotn", appauthor=False)


def config_file() -> Path:
    """Where the settings' file is, whether there is one or not."""
    home = os.environ.get("GOTN_HOME", "").strip()
    if home:
        return Path(home).expanduser().absolute() / "config.toml"
    return platformdirs.user_config_path("gotn", appauthor=False) / "config.toml"


def login() -> str:
    """The name this person logged in with, or "unknown" where the system has none."""
    try:
        return getpass.getuser() or "unknown"
    except (OSError, KeyError):
        return "unknown"


class _File(InitSettingsSource):
    """The settings' file; pydantic's own TOML source keeps no trace of where it read."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls, _file_values())


class Settings(BaseSettings):
    """Everything that can be set. Build it with `load`, or directly in a test."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        populate_by_name=True,
        frozen=True,
        validate_default=False,
    )

    neo4j_uri: str | None = Field(
        None,
        validation_alias=AliasChoices("neo4j_uri"),
        description="Neo4j to use; without it the managed one of `home`.",
    )
    neo4j_username: str = Field(
        "neo4j",
        validation_alias=AliasChoices("neo4j_username", "neo4j_user"),
        description="Name to log in to NEO4J_URI with.",
    )
    neo4j_password: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("neo4j_password"),
        description="Password of NEO4J_URI.",
    )
    neo4j_database: str | None = Field(
        None,
        validation_alias=AliasChoices("neo4j_database"),
        description="Database of NEO4J_URI; without it the server's default.",
    )
    home: Path = Field(default_factory=default_home, description="Folder of all state.")
    project: str = Field("default", pattern=f"^{_PROJECT}$", description="Project to work in.")
    actor: str = Field(
        default_factory=login,
        min_length=1,
        max_length=200,
        description="Who acts; stands in every journal entry.",
    )
    host: str = Field("127.0.0.1", min_length=1, description="Address the API binds to.")
    port: int | None = Field(
        None, ge=0, le=65535, description=f"The API's port; without it {DEFAULT_PORT} or the next."
    )
    api_key: SecretStr | None = Field(None, description="Bearer token the API asks for.")
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="Web origins that may call the API, with commas."
    )
    encoder: Literal["auto", "sentence-transformers", "onnx"] = Field(
        "auto", description="What turns texts into vectors; auto takes what is installed."
    )
    encoder_model: str | None = Field(
        None, description="A sentence-transformers model or its folder; without it the built-in."
    )
    vectors: Literal["faiss", "neo4j"] = Field(
        "faiss", description="Where vectors are: in files of `home`, or shared in Neo4j."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="How much the server logs."
    )
    shared_data: Path = Field(
        Path("../shared/data"), description="Real input that some tests read."
    )
    max_depth: int = Field(12, ge=1, le=100, description="Depth of one GraphQL operation.")
    max_aliases: int = Field(30, ge=0, le=10_000, description="Aliases in one operation.")
    max_tokens: int = Field(5000, ge=10, le=1_000_000, description="Tokens in one operation.")
    max_fields: int = Field(
        1000, ge=1, le=100_000, description="Fields one operation selects, fragments counted."
    )
    max_complexity: int = Field(
        300_000,
        ge=1,
        le=10**9,
        description="Values one answer can have at most: fields times the `first` of their lists.",
    )
    max_request_bytes: int = Field(
        16 * 1024 * 1024, ge=1024, le=1024**3, description="Bytes of one request."
    )
    max_header_bytes: int = Field(
        32 * 1024, ge=1024, le=1024**2, description="Bytes of a request's headers and address."
    )
    max_body_seconds: float = Field(
        30.0, gt=0, le=3600, description="Seconds for a request's body to arrive."
    )
    max_subscriptions: int = Field(
        5000, ge=0, le=100_000, description="Subscriptions that one server runs at a time."
    )
    max_connection_subscriptions: int = Field(
        100, ge=1, le=10_000, description="Operations at a time over one WebSocket."
    )
    max_seconds: float = Field(30.0, gt=0, le=3600, description="Seconds for one operation.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # pydantic names it
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  # pydantic names it
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Option, environment, file; the default is pydantic's own last resort."""
        return (init_settings, env_settings, _File(settings_cls))

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @field_validator("home", mode="after")
    @classmethod
    def _whole(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("neo4j_uri", mode="after")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not re.match(r"(bolt|neo4j)(\+s|\+ssc)?://[^/]", value):
            raise ValueError("expected an address of Neo4j such as bolt://127.0.0.1:7687")
        return value


@dataclass(frozen=True)
class Setting:
    """One value as `gotn config show` prints it; a secret is masked."""

    name: str
    value: Any
    #: `option`, the variable's name, `config.toml:LINE`, or `default`.
    origin: str
    variable: str
    description: str


def variables(name: str) -> tuple[str, ...]:
    """The environment variables of a setting, the one that wins first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice).upper() for choice in alias.choices)
    return (_PREFIX + name.upper(),)


def load(options: Mapping[str, Any] | None = None) -> Settings:
    """The settings, options first; Invalid names the option, variable or line that is wrong."""
    given = {name: value for name, value in (options or {}).items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise _explained(error, given) from None


def show(settings: Settings, options: Mapping[str, Any] | None = None) -> list[Setting]:
    """Every setting with its value and origin, in the order they are declared."""
    given = {name for name, value in (options or {}).items() if value is not None}
    return [
        Setting(
            name,
            _masked(getattr(settings, name)),
            _origin(name, given),
            variables(name)[0],
            field.description or "",
        )
        for name, field in Settings.model_fields.items()
    ]


def _masked(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _origin(name: str, given: set[str]) -> str:
    if name in given:
        return "option"
    found = EnvSettingsSource(
        Settings, env_prefix=_PREFIX, env_ignore_empty=True, case_sensitive=False
    ).get_field_value(Settings.model_fields[name], name)
    if found[0] is not None:
        return next(v for v in variables(name) if os.environ.get(v) or os.environ.get(v.lower()))
    line = _lines().get(name)
    return f"{config_file()}:{line}" if line else "default"


def _explained(error: ValidationError, given: Mapping[str, Any]) -> Invalid:
    """The first thing that is wrong, with the place to mend it; the others in the facts."""
    found = [_place(item, set(given)) for item in error.errors(include_url=False)]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return Invalid(found[0] + more, problems=found)


def _place(item: Any, given: set[str]) -> str:
    name = next((str(part) for part in item["loc"] if isinstance(part, str)), "")
    name = _known(name)
    if name not in Settings.model_fields:
        return f"{config_file()}:{_lines().get(name, '?')}: there is no setting {name!r}"
    origin = _origin(name, given)
    secret = name in {"neo4j_password", "api_key"}
    shown = "" if secret else f", found {str(item['input'])[:80]!r}"
    text = _PROJECT_RULE if name == "project" else _said(item["msg"])
    label = f"--{name.replace('_', '-')}" if origin == "option" else origin
    where = f"{label}: {name}" if origin.startswith(str(config_file())) else label
    return f"{where}: {text[:1].lower()}{text[1:]}{shown}"


def _said(message: str) -> str:
    """What pydantic says, as we say it: what is expected."""
    text = message.removeprefix("Value error, ").partition(", unable to parse")[0]
    return re.sub(r"^(Input|String|Value) should (be|have|match) ?", _expected, text)


def _expected(found: re.Match[str]) -> str:
    return {"be": "expected ", "have": "expected ", "match": "expected a text of "}[found[2]]


def _known(name: str) -> str:
    """A field's name for one of its aliases."""
    lowered = name.lower().removeprefix(_PREFIX.lower())
    for field in Settings.model_fields:
        if lowered == field or lowered.upper() in variables(field):
            return field
    return name


@cache
def _parsed(path: Path, _stamp: float) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"{path}: {error}", file=str(path)) from None
    except UnicodeDecodeError:
        raise Invalid(f"{path}: expected UTF-8 text", file=str(path)) from None


def _file_values() -> dict[str, Any]:
    path = config_file()
    try:
        stamp = path.stat().st_mtime
        return _parsed(path, stamp)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Invalid(f"{path}: {error.strerror}", file=str(path)) from None


def _lines() -> dict[str, int]:
    """The line each key of the file stands on."""
    if not _file_values():
        return {}
    lines = config_file().read_text(encoding="utf-8").splitlines()
    keys = (re.match(r"""\s*["']?([\w-]+)["']?\s*=""", line) for line in lines)
    return {_known(key[1]): number for number, key in enumerate(keys, 1) if key}
