// Compares the objects of Strimzi and KEDA in a file with the definitions that these publish, as their schemas (values) and as types, which no
// unknown field passes: node check.mjs FILE. It knows nothing of the chart, and leaves out the kinds of Kubernetes.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import ts from "typescript";
import { parseAllDocuments } from "yaml";

const packages = { "kafka.strimzi.io": "@kubernetes-models/strimzi-kafka-operator", "keda.sh": "@kubernetes-models/keda" };
const file = new URL(`objects-${process.pid}.ts`, import.meta.url).pathname;
const fail = (text) => { console.error(text); process.exitCode = 1; };

const objects = parseAllDocuments(readFileSync(process.argv[2], "utf8"))
    .map((document) => document.toJS())
    .filter((object) => object && packages[object.apiVersion.split("/")[0]]);

const lines = [];
for (const [index, object] of objects.entries()) {
    const [group] = object.apiVersion.split("/");
    const module = `${packages[group]}/${object.apiVersion}/${object.kind}`;
    const Kind = (await import(module))[object.kind];
    try {
        new Kind(object).validate();
    } catch (error) {
        fail(`${object.kind} ${object.metadata.name}: ${error.message}`);
    }
    lines.push(`import { I${object.kind} as I${index} } from "${module}"; export const object${index}: I${index} = ${JSON.stringify(object)};`);
}

writeFileSync(file, lines.join("\n"));
try {
    const settings = { noEmit: true, strict: true, skipLibCheck: true, module: ts.ModuleKind.Node16, target: ts.ScriptTarget.ES2022 };
    for (const found of ts.getPreEmitDiagnostics(ts.createProgram([file], settings))) {
        const { line } = ts.getLineAndCharacterOfPosition(found.file, found.start);
        const { kind, metadata } = objects[line];
        fail(`${kind} ${metadata.name}: ${ts.flattenDiagnosticMessageText(found.messageText, "\n")}`);
    }
} finally {
    rmSync(file);
}
console.log(`${objects.length} objects of Strimzi and KEDA`);
