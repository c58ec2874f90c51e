#!/usr/bin/env python3
"""Fails if files of a crate import each other in a circle.

An edge leads from a file to the file that defines what a path in it names: re-exports are followed, and `mod` lines are no edges.
Unit tests are left out.

Usage: scripts/find-circles.py [-v]    -v also lists the imports between the files of each circle
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NO_CODE = re.compile(
    r"""(?ms)^\#\[cfg\((?:test|all\(test,[^\n]*)\)\]\n(?:\#\[[^\n]*\]\n)*mod\ \w+\ \{.*?^\}\n | //[^\n]* | r(\#+)".*?"\1 | b?'(?:\\.[^'\n]*|[^'\\\n])' | b?"(?:[^"\\]|\\.)*" """, re.X
)
ITEM = re.compile(r"(?m)^(?:pub(?:\([^)]*\))? )?(?:const |unsafe )*(?:fn|struct|enum|trait|type|const|static|macro_rules!) (\w+)")
USE = re.compile(r"(?m)^ *(?:pub(?:\([^)]*\))? )?use ([^;]+);")
PATH = re.compile(r"(?<!in )\b(?:crate|super)(?:::\w+)+")


def expand(tree):
    """The paths of a `use`, each with the name that it gives."""
    head, brace, inner = tree.partition("{")
    if not brace:
        path, _, alias = tree.partition(" as ")
        steps = path.strip().split("::")
        if steps[-1] == "self":
            steps.pop()
        return [(steps, alias.strip() or steps[-1])]
    # The parts of a list, without the commas of inner lists.
    parts = re.findall(r"(?:[^,{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})+", inner.rstrip().removesuffix("}"))
    return [one for part in parts if part.strip() for one in expand(head.strip() + part.strip())]


class Crate:
    def __init__(self, folder):
        self.files, self.items, self.imports, self.named = {}, {}, {}, {}
        for path in sorted(folder.rglob("*.rs")):
            steps = path.relative_to(folder).with_suffix("").parts
            module = steps[:-1] if steps[-1] in ("mod", "lib") else steps
            text = NO_CODE.sub("", path.read_text())
            used = [one for tree in USE.findall(text) for one in expand(re.sub(r"\s+", " ", tree))]
            self.files[module], self.items[module] = path, set(ITEM.findall(text))
            self.imports[module] = used
            self.named[module] = [steps for steps, _ in used] + [one.split("::") for one in PATH.findall(USE.sub("", text))]

    def absolute(self, module, steps):
        """The module in which a path begins, and the rest of the path; `None` for another crate."""
        if steps[0] == "crate":
            return (), steps[1:]
        if steps[0] in ("super", "self"):
            while steps and steps[0] in ("super", "self"):
                module, steps = module[:-1] if steps[0] == "super" else module, steps[1:]
            return module, steps
        return (module, steps) if (*module, steps[0]) in self.files else None

    def definition(self, module, steps, seen=frozenset()):
        """The module that defines what a path names."""
        found = self.absolute(module, steps)
        if found is None or (module, tuple(steps)) in seen:
            return None
        seen = seen | {(module, tuple(steps))}
        module, steps = found
        while steps and (*module, steps[0]) in self.files:
            module, steps = (*module, steps[0]), steps[1:]
        if not steps or steps[0] == "*" or steps[0] in self.items.get(module, ()):
            return module
        for path, name in self.imports.get(module, []):
            if name in (steps[0], "*"):
                rest = steps if name == "*" else steps[1:]
                target = self.definition(module, [*(path[:-1] if name == "*" else path), *rest], seen)
                if target is not None and (name != "*" or steps[0] in self.items.get(target, ())):
                    return target
        return None

    def edges(self):
        """The modules that each module imports, with the paths."""
        edges = {module: {} for module in self.files}
        for module, paths in self.named.items():
            for steps in paths:
                target = self.definition(module, steps)
                if target is not None and target != module:
                    edges[module].setdefault(target, []).append("::".join(steps))
        return edges


def circles(edges):
    """The sets of modules that reach each other."""
    def reached(start):
        seen, stack = set(), [start]
        while stack:
            for one in edges[stack.pop()]:
                if one not in seen:
                    seen.add(one)
                    stack.append(one)
        return seen

    reach = {module: reached(module) for module in edges}
    return {frozenset(one for one in reach[module] if module in reach[one]) for module in edges if module in reach[module]}


def main():
    found = 0
    for folder in [ROOT / "src", *sorted(ROOT.glob("crates/*/src"))]:
        crate = Crate(folder)
        edges = crate.edges()
        if sum(map(len, edges.values())) < len(edges):
            sys.exit(f"{folder}: there are fewer imports than files, so this script no longer reads the code")
        for circle in sorted(circles(edges), key=lambda one: -len(one)):
            found += 1
            names = sorted(str(crate.files[module].relative_to(ROOT)) for module in circle)
            print(f"circle of {len(names)} files: {' '.join(names)}")
            for module in sorted(circle) if "-v" in sys.argv else []:
                for target in sorted(circle & set(edges[module])):
                    print(f"    {crate.files[module].relative_to(ROOT)} -> {'/'.join(target) or 'lib'}: {', '.join(sorted(set(edges[module][target])))}")
    sys.exit(f"{found} circles" if found else 0)


if __name__ == "__main__":
    main()
