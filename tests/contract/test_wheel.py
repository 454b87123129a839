"""The wheel works where there is no checkout."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, **settings: str) -> str:
    """What a program prints; it must succeed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, **settings},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--wheel",
        "--outdir",
        folder,
        ROOT,
        cwd=folder,
    )
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment elsewhere that has the wheel, and its dependencies from this one."""
    home = tmp_path_factory.mktemp("elsewhere") / "env"
    venv.create(home, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    run(
        sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
        "--target", site, wheel, cwd=home,
    )  # fmt: skip
    ours = Path(sysconfig.get_path("purelib"))
    # Behind the wheel's own gotn, so that what is installed here wins; .pth files are not followed.
    (site / "dependencies.pth").write_text(f"{ours}\n")
    return home


def test_wheel_carries_its_files(wheel: Path) -> None:
    """Every query and every named operation travels along, and no test."""
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("cypher", "graphql/operations"):
        here = [p for p in (ROOT / folder).rglob("*") if p.is_file()]
        assert here
        assert {f"gotn/_data/{p.relative_to(ROOT).as_posix()}" for p in here} <= names
    assert "gotn/_data/graphql/schema.graphql" in names
    page = {name for name in names if name.startswith("gotn/server/graphiql/")}
    assert len(page) == len(list((ROOT / "service/gotn/server/graphiql").iterdir()))
    assert "gotn/py.typed" in names
    assert not [name for name in names if name.startswith("tests/") or "__pycache__" in name]


def test_queries_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Imported in another folder, gotn reads its own packed files."""
    code = (
        "import gotn.database.queries as q, gotn.resources as r, gotn;"
        "print(len(q.table())); print(r.cypher()); print(gotn.__file__)"
    )
    count, cypher, module = run(installed / "bin" / "python", "-c", code, cwd=tmp_path).splitlines()
    assert int(count) > 50
    assert Path(cypher).is_relative_to(installed)
    assert Path(module).is_relative_to(installed)


def test_command_line_works(installed: Path, tmp_path: Path) -> None:
    """`python -m gotn` and the entry point explain themselves from any folder."""
    python = installed / "bin" / "python"
    help_ = run(python, "-m", "gotn", "--help", cwd=tmp_path)
    assert "journal" in help_
    entry = "import sys; from gotn.cli import main; sys.argv = ['gotn', '--help']; main()"
    assert "journal" in run(python, "-c", entry, cwd=tmp_path)


def test_data_for_other_verbs_is_there(installed: Path, tmp_path: Path) -> None:
    """The schema, the operations and the lock of Neo4j's files are read from the wheel."""
    code = (
        "from gotn.provision import jars; from gotn import resources;"
        "print(len(jars.locked()));"
        "print(len(list((resources.graphql() / 'operations').glob('*.graphql'))))"
    )
    jars, operations = run(installed / "bin" / "python", "-c", code, cwd=tmp_path).split()
    assert int(jars) > 10
    assert int(operations) >= 1
