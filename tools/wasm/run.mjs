// Runs inside.py in the Python that npm's package `pyodide` brings: a CPython in WebAssembly.
// node run.mjs <pyodide directory> <repository> <packages> <words for inside.py>

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [place, repository, packages, ...words] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(place, "pyodide.mjs")));
const python = await loadPyodide({ env: { HOME: "/home/pyodide", LANG: "C.UTF-8" } });
for (const [at, root] of [["/repository", repository], ["/packages", packages]]) {
  python.FS.mkdirTree(at);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, at);
}
python.globals.set("words", python.toPy(words));
try {
  process.exitCode = python.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/packages", "/repository/tools", "/repository/tools/wasm"]
from inside import main
main(words)
`);
} catch (error) {
  console.error(error.message); // the rest of it is the source of the interpreter
  process.exitCode = 70;
}
