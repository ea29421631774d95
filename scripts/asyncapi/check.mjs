// Holds each document against the official JSON schema and the official parser, and its YAML, read as
// YAML 1.2, against its JSON.
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import specs from "@asyncapi/specs";
import { Parser } from "@asyncapi/parser";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import YAML from "yaml";

const directory = process.argv[2];
const files = readdirSync(directory).filter((name) => name.endsWith(".json"));
if (files.length === 0) {
  throw new Error("there are no documents");
}

// The schema brings the draft that it is written in along.
const ajv = new Ajv({ allErrors: true, strict: false, meta: false, validateSchema: false, unicodeRegExp: false });
addFormats(ajv);
// Of channels such as `sites.{site}` every reader wants the name as it is, also behind `#`.
ajv.addFormat("uri-reference", true);
const valid = ajv.compile(specs.schemas["3.1.0"]);

let faults = 0;
function fault(name, text) {
  faults += 1;
  console.error(`${name}: ${text}`);
}

for (const file of files) {
  const name = basename(file, ".json");
  const text = readFileSync(join(directory, file), "utf8");
  const document = JSON.parse(text);

  if (!valid(document)) {
    for (const error of valid.errors) {
      fault(name, `schema: ${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
    }
  }

  const read = YAML.parse(readFileSync(join(directory, `${name}.yaml`), "utf8"), { version: "1.2" });
  if (!isDeepStrictEqual(read, document)) {
    fault(name, "read as YAML 1.2 it is another document");
  }

  const { document: parsed, diagnostics } = await new Parser().parse(text);
  for (const { code, message, path, severity } of diagnostics) {
    fault(name, `parser: ${severity} ${code} at ${path.join("/")}: ${message}`);
  }
  if (!parsed) {
    fault(name, "the parser makes no document of it");
    continue;
  }
  const counts = [parsed.operations(), parsed.channels(), parsed.messages()].map((all) => all.length);
  console.log(`${name}: ${counts[0]} operations, ${counts[1]} channels, ${counts[2]} messages`);
}
if (faults > 0) {
  throw new Error(`${faults} faults`);
}
