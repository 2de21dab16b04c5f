// Three nodes, a Galera cluster, Redis with Sentinel, S3 and proxies on hosts of their own, under load while they are killed and
// cut off. Needs root, and is skipped without.
// Time: about 120 s
//
//   MORTISE_TEST_FULL=1         10 minutes of it instead of half a one
//   MORTISE_TEST_MINUTES=60     for so long, or until there were
//   MORTISE_TEST_FAULTS=1000     so many kills and cuts
//   MORTISE_TEST_SEED=7         in an order that the seed decides
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { missingRequirement } from './cluster/network.mjs';
import { runCluster } from './cluster/run-cluster.mjs';

export const lab = Lab.script();
const { describe, it } = lab;

const { MORTISE_TEST_FULL: full, MORTISE_TEST_MINUTES, MORTISE_TEST_FAULTS, MORTISE_TEST_SEED = '1' } = process.env;
const minutes = Number(MORTISE_TEST_MINUTES ?? (full ? 10 : 0.5));
const maxFaults = Number(MORTISE_TEST_FAULTS ?? (full ? 150 : 6));
const reason = missingRequirement();
if (reason) console.log(`the cluster is left out: ${reason}`);

describe('O7: a cluster whose parts are killed and cut off', { skip: reason !== undefined, timeout: 7_200_000 }, () => {
  it('has all that was acknowledged, once, on every node', async () => {
    const seen = await runCluster({ minutes, maxFaults, seed: Number(MORTISE_TEST_SEED) });
    console.log(`${seen.acknowledged} acknowledged beside ${JSON.stringify(seen.faults)}`);
    const { lost, doubled, other, violations } = seen;
    expect({ lost, doubled, other, violations }).to.equal({ lost: [], doubled: [], other: [], violations: [] });
    expect(seen.acknowledged).to.be.above(0);
  });
});
