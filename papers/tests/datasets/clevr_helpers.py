"""Folders in the layouts of CLEVR and CLOSURE, filled with questions of our own grammar."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partwise_papers.domains.scenes.functional import to_functional
from partwise_papers.domains.scenes.generate import BASE, COMBINED, generate
from partwise_papers.domains.scenes.scene import random_scene, scene_from_json

SCENES = [
    scene_from_json(random_scene(n).to_json() | {"image_filename": f"made_{n:06}.png"}, "made")
    for n in range(30)
]
KINDS = ("and_mat_spa", "or_mat", "or_mat_spa", "compare_mat", "compare_mat_spa")
KINDS += ("embed_spa_mat", "embed_mat_spa")
TEMPLATE_KINDS = ("and_sim_loc", "or_sim", "or_sim_loc", "compare_sim", "compare_sim_loc")
TEMPLATE_KINDS += ("chain_loc_sim", "chain_sim_loc")


def entries(families: Sequence[str], count: int, seed: int) -> list[dict[str, Any]]:
    """Questions as the released files have them."""
    return [
        {
            "question": question.text,
            "program": to_functional(question.program),
            "answer": question.answer,
            "image_index": question.scene.index,
            "question_index": number,
        }
        for number, question in enumerate(generate(families, count, SCENES, random.Random(seed)))
    ]


def as_generated(entry: dict[str, Any], template: str) -> dict[str, Any]:
    """An entry as the official generator writes it: other types, and "type" for "function"."""
    answer: Any = entry["answer"]
    answer = {"yes": True, "no": False}.get(answer, answer)
    answer = int(answer) if isinstance(answer, str) and answer.isdecimal() else answer
    nodes = [{"type": n["function"], "_output": 0, **n} for n in entry["program"]]
    for node in nodes:
        del node["function"]
    return {**entry, "answer": answer, "program": nodes, "template_filename": template}


def write(file: Path, key: str, found: list[Any]) -> None:
    """A file of questions or scenes; zipped if its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    data = json.dumps({"info": {"version": "1.0"}, key: found}).encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)


def released(folder: Path) -> Path:
    """100 train, 30 val and 7 times 4 CLOSURE questions, as released."""
    place = folder / "CLEVR_v1.0"
    scenes = [scene.to_json() for scene in SCENES]
    for part, seed, count in (("train", 1, 100), ("val", 2, 30)):
        write(place / "scenes" / f"CLEVR_{part}_scenes.json", "scenes", scenes)
        found = entries(tuple(BASE), count, seed)
        write(place / "questions" / f"CLEVR_{part}_questions.json", "questions", found)
    for seed, kind in enumerate(KINDS):
        found = entries(tuple(COMBINED), 4, seed)
        write(folder / "closure" / f"{kind}_val.json", "questions", found)
    return place


def regenerated(folder: Path) -> Path:
    """The same questions as `released`, in the layout of regenerated ones."""
    place = folder / "clevr"
    scenes = [scene.to_json() for scene in SCENES]
    for part, seed, count in (("train", 1, 100), ("val", 2, 30)):
        write(place / f"CLEVR_{part}_scenes_30.json.gz", "scenes", scenes)
        found = [as_generated(e, "one_hop.json") for e in entries(tuple(BASE), count, seed)]
        write(place / "regenerated" / f"CLEVR_{part}_questions.json.gz", "questions", found)
    for seed, kind in zip(map(KINDS.index, KINDS), TEMPLATE_KINDS, strict=True):
        found = [
            as_generated(e, f"/templates/{kind}.json") for e in entries(tuple(COMBINED), 4, seed)
        ]
        write(place / "regenerated" / f"CLOSURE_{kind}_val.json.gz", "questions", found)
    return place
