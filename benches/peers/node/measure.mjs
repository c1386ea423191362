// measure.mjs CORPUS.json: prints the median times of one PermissionManager.check and of one whole command as JSON.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { PermissionManager, resolveBashAdvisoryCheck, warmBashParser } from "./manager.mjs";

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

// The median time of one item.
function measured(items, decide) {
  const round = () => {
    const start = process.hrtime.bigint();
    for (const item of items) {
      if (decide(item).state === "allow") allowed += 1;
    }
    return Number(process.hrtime.bigint() - start) / items.length;
  };
  for (let at = 0; at < WARM_UP_ROUNDS; at += 1) round();
  const times = Array.from({ length: ROUNDS }, round).sort((left, right) => left - right);
  return times[ROUNDS / 2];
}

// Whole commands: the shell's tree and every unit against the rules. The extension's path gates are not in it.
await warmBashParser();
const resolver = { resolve: (intent) => manager.check(intent) };
const whole = (command) => resolveBashAdvisoryCheck(command, undefined, resolver);
for (const { command, state } of [...corpus.calls.plain, ...corpus.calls.compound]) {
  assert.equal(whole(command).state, state, command);
}
const calls = (kind) => measured(corpus.calls[kind].map(({ command }) => command), whole);

const result = {
  kind: corpus.kind,
  rules: corpus.rules,
  node: process.version,
  ns_per_check: measured(intents, (intent) => manager.check(intent)),
  ns_per_plain_call: calls("plain"),
  ns_per_compound_call: calls("compound"),
};
assert.ok(allowed > 0);
console.log(JSON.stringify(result));
