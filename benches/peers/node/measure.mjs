// measure.mjs CORPUS.json: prints the median time of one PermissionManager.check as JSON.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { PermissionManager } from "./manager.mjs";

const WARM_UP_ROUNDS = 20;
const ROUNDS = 60;

const corpus = JSON.parse(readFileSync(process.argv[2], "utf8"));

// One global document in memory. The stamp never changes, so the composed rules are cached, as they are between edits.
const policyLoader = {
  loadGlobalConfig: () => ({ permission: corpus.policy.permission }),
  loadProjectConfig: () => ({}),
  loadAgentConfig: () => ({}),
  loadProjectAgentConfig: () => ({}),
  getConfiguredMcpServerNames: () => [],
  getCacheStamp: () => "same",
  getConfigIssues: () => [],
  getResolvedPolicyPaths: () => ({}),
};
const manager = new PermissionManager({ policyLoader });
const intents = corpus.values.map((command) => ({ kind: "tool", surface: "bash", input: { command } }));

// Times of different answers say nothing about each other.
for (const [at, intent] of intents.entries()) {
  const { state, matchedPattern } = manager.check(intent);
  const { state: expectedState, pattern } = corpus.answers[at];
  assert.deepEqual([state, matchedPattern], [expectedState, pattern], corpus.values[at]);
}

let allowed = 0;
function round() {
  const start = process.hrtime.bigint();
  for (const intent of intents) {
    if (manager.check(intent).state === "allow") allowed += 1;
  }
  return Number(process.hrtime.bigint() - start) / intents.length;
}

for (let at = 0; at < WARM_UP_ROUNDS; at += 1) round();
const times = Array.from({ length: ROUNDS }, round).sort((left, right) => left - right);
assert.ok(allowed > 0);
console.log(
  JSON.stringify({
    kind: corpus.kind,
    rules: corpus.rules,
    node: process.version,
    ns_per_check: times[ROUNDS / 2],
  }),
);
