from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from gotn import settings
from gotn.errors import Invalid


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of its own and an environment without any setting."""
    for name in settings.Settings.model_fields:
        for variable in settings.variables(name):
            monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GOTN_HOME", str(tmp_path))
    return tmp_path


def _value(name: str, options: dict[str, Any] | None = None) -> tuple[Any, str]:
    found = settings.show(settings.load(options), options)
    return next((one.value, one.origin) for one in found if one.name == name)


def test_default_where_nothing_is_set() -> None:
    """Without option, environment and file there is the default, and it says so."""
    assert _value("project") == ("default", "default")
    assert _value("port") == (None, "default")
    assert settings.load().host == "127.0.0.1"


def test_actor_is_the_login_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who acts is whoever logged in, and "unknown" where the system has no name."""
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    assert settings.load().actor == "ada"

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr("getpass.getuser", nobody)
    assert settings.load().actor == "unknown"


def test_option_over_environment_over_file(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Each source gives way to the one before it, and the origin names it."""
    (home / "config.toml").write_text('\n# ours\nproject = "filed"\n')
    assert _value("project") == ("filed", f"{home}/config.toml:3")
    monkeypatch.setenv("GOTN_PROJECT", "said")
    assert _value("project") == ("said", "GOTN_PROJECT")
    assert _value("project", {"project": "typed"}) == ("typed", "option")
    assert _value("project", {"project": None}) == ("said", "GOTN_PROJECT")


def test_neo4j_names_of_other_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """NEO4J_USERNAME wins over its alias NEO4J_USER; both are known."""
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://db.example.com")
    monkeypatch.setenv("NEO4J_USER", "alias")
    assert _value("neo4j_username") == ("alias", "NEO4J_USER")
    monkeypatch.setenv("NEO4J_USERNAME", "name")
    assert _value("neo4j_username") == ("name", "NEO4J_USERNAME")
    assert _value("neo4j_uri") == ("neo4j+s://db.example.com", "NEO4J_URI")


def test_empty_variable_counts_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable sets nothing."""
    monkeypatch.setenv("NEO4J_URI", "")
    monkeypatch.setenv("GOTN_PORT", "")
    assert _value("neo4j_uri") == (None, "default")
    assert _value("port") == (None, "default")


def test_secrets_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the list of settings nor a settings object's text tells a secret."""
    monkeypatch.setenv("NEO4J_PASSWORD", "sesame-42")
    monkeypatch.setenv("GOTN_API_KEY", "key-4711")
    found = settings.load()
    assert SecretStr("sesame-42") == found.neo4j_password
    assert "sesame-42" not in repr(settings.show(found)) + repr(found)
    assert "key-4711" not in repr(settings.show(found)) + repr(found)


def test_lists_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    """GOTN_CORS_ORIGINS takes origins with commas; a file may have a list."""
    monkeypatch.setenv("GOTN_CORS_ORIGINS", "http://a.example, http://b.example")
    assert settings.load().cors_origins == ("http://a.example", "http://b.example")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("GOTN_PORT", "eighty", "GOTN_PORT: expected a valid integer, found"),
        ("GOTN_PORT", "70000", "GOTN_PORT: expected less than or equal to 65535"),
        ("GOTN_MAX_DEPTH", "0", "GOTN_MAX_DEPTH: "),
        ("GOTN_PROJECT", "No Spaces", "GOTN_PROJECT: expected 1 to 64 of a-z"),
        ("GOTN_LOG_LEVEL", "loud", "GOTN_LOG_LEVEL: expected 'debug', "),
        ("NEO4J_URI", "localhost:7687", "NEO4J_URI: expected an address of Neo4j"),
    ],
)
def test_bad_variable_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    """An error names the variable and what was found."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(Invalid) as caught:
        settings.load()
    assert caught.value.message.startswith(said)
    assert repr(value) in caught.value.message


def test_bad_secret_is_not_printed(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """A secret of the wrong kind is named, never shown."""
    (home / "config.toml").write_text("api_key = 4711\n")
    with pytest.raises(Invalid) as caught:
        settings.load()
    assert "api_key" in caught.value.message
    assert "4711" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('project = "a"\n\nport = "x"\n', "config.toml:3: port: "),
        ("colour = 1\n", "config.toml:1: there is no setting 'colour'"),
        ("port = \n", "line 1"),
        ("[[[\n", "line 1"),
    ],
)
def test_bad_file_names_the_line(home: Path, text: str, said: str) -> None:
    """An error in the file names the file and the line."""
    (home / "config.toml").write_text(text)
    with pytest.raises(Invalid) as caught:
        settings.load()
    assert said in caught.value.message
    assert "config.toml" in caught.value.message


def test_file_that_is_no_text(home: Path) -> None:
    """Bytes that are not UTF-8 are a clear error."""
    (home / "config.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Invalid, match="UTF-8"):
        settings.load()


def test_every_setting_is_described() -> None:
    """`config show` and the documents need a description for each setting."""
    for one in settings.show(settings.load()):
        assert one.description.endswith("."), one.name
