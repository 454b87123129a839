"""Files by exact coordinates through jgo, with the user's own mirrors, cache and certificates."""

import hashlib
import logging
import os
import shutil
import ssl
from pathlib import Path

from gotn.provision.jars import Fetch, Jar

#: Seconds without a byte after which a download counts as failed.
_TIMEOUT = 30
#: Where Linux distributions keep the certificates that the machine trusts.
_SYSTEM_BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt")
_UNTRUSTED = (
    "the server's certificate is not trusted (behind a company proxy, REQUESTS_CA_BUNDLE must "
    "name its certificates)"
)


def fetcher() -> Fetch:
    """Answer a function that fetches one jar; jgo is imported here, since it takes a while."""
    from jgo.config import GlobalSettings  # noqa: PLC0415  # a third of a second, only
    from jgo.maven import MavenContext  # noqa: PLC0415  # where something is missing

    _trust_what_the_system_trusts()
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


def _trust_what_the_system_trusts() -> None:
    """Without a bundle named by the user: pip's, OpenSSL's, or the system's, as pip does it.

    The client would take its own list, which lacks the certificates of a company's proxy.
    """
    if os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE"):
        return
    named = [os.environ.get(name, "") for name in ("PIP_CERT", "SSL_CERT_FILE")]
    system = [ssl.get_default_verify_paths().cafile or "", *_SYSTEM_BUNDLES]
    for bundle in filter(None, [*named, *system]):
        if Path(bundle).is_file():
            os.environ["REQUESTS_CA_BUNDLE"] = bundle
            return


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
