"""Files by exact coordinates through jgo, with the user's own mirrors, cache and certificates."""

import hashlib
import logging
import shutil
from pathlib import Path

from gotn.provision.jars import Fetch, Jar

#: Seconds without a byte after which a download counts as failed.
_TIMEOUT = 30
_UNTRUSTED = (
    "the server's certificate is not trusted (behind a company proxy, REQUESTS_CA_BUNDLE must "
    "name its certificates)"
)


def fetcher() -> Fetch:
    """Answer a function that fetches one jar; jgo is imported here, since it takes a while."""
    from jgo.config import GlobalSettings  # noqa: PLC0415  # a third of a second, only
    from jgo.maven import MavenContext  # noqa: PLC0415  # where something is missing

    logging.getLogger("jgo").addHandler(logging.NullHandler())  # failures are told by us
    settings = GlobalSettings.load()
    cache = Path(settings.repo_cache)

    def fetch(jar: Jar, into: Path) -> Path:
        group, artifact, version, *classifier = jar.coordinate.split(":")
        context = MavenContext(
            repo_cache=into,
            local_repos=[cache] if _usable(cache, jar) else [],
            remote_repos=dict(settings.repositories) or None,
            timeout=_TIMEOUT,
        )
        component = context.project(group, artifact).at_version(version)
        path = Path(component.artifact(classifier=classifier[0] if classifier else "").resolve())
        return path if path.is_relative_to(into) else _copy(path, into)

    return _with_plain_reasons(fetch)


def _usable(cache: Path, jar: Jar) -> bool:
    """Tell whether the user's own cache has this very file; a damaged one is left alone."""
    group, artifact, version, *_ = jar.coordinate.split(":")
    path = cache.joinpath(*group.split("."), artifact, version, jar.file_name)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except OSError:
        return False


def _copy(path: Path, into: Path) -> Path:
    return Path(shutil.copyfile(path, into / path.name))


def _with_plain_reasons(fetch: Fetch) -> Fetch:
    """Turn the client's long errors into one sentence each."""
    import requests  # noqa: PLC0415  # comes with jgo

    failed = requests.exceptions
    reasons: dict[type[Exception], str] = {
        failed.SSLError: _UNTRUSTED,
        failed.ProxyError: "the proxy set in the environment does not answer",
        failed.Timeout: "the package registry does not answer in time",
        failed.ConnectionError: "the package registry cannot be reached (is there a network?)",
    }

    def plain(jar: Jar, into: Path) -> Path:
        try:
            return fetch(jar, into)
        except failed.RequestException as error:
            known = (text for kind, text in reasons.items() if isinstance(error, kind))
            sentence = next(known, f"{jar.file_name}: {type(error).__name__}")
            raise RuntimeError(sentence) from error
        except RuntimeError as error:
            raise RuntimeError(f"{jar.file_name} was not found in the package registry") from error

    return plain
