#!/usr/bin/env node
// Compares two running servers, such as an old build and a new one: the processor time that each takes for a request, in
// turns, so that a machine that is not equally fast all the time does not decide. Linux alone (/proc).
//
//   node bench/compare.mjs --old PORT,PID --new PORT,PID [--rounds 7] [--only version,branch]
//
// PID: of the process that answers (one worker). Both have root:password, and get a repository of 20 branches once.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    old: { type: 'string' },
    new: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '20000' },
    only: { type: 'string' },
  },
});
const authorization = `Basic ${Buffer.from('root:password').toString('base64')}`;
const connections = 4;
const rows = {
  version: '/api/v1/version',
  'user get': '/api/v1/users/root',
  'repo get': '/api/v1/repos/root/compared',
  branches: '/api/v1/repos/root/compared/branches',
  'branch get': '/api/v1/repos/root/compared/branches/main',
  'contents file': '/api/v1/repos/root/compared/contents/README.md',
};

class Server {
  constructor(address) {
    [this.port, this.pid] = address.split(',');
    this.agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  request(method, path, body) {
    const headers = body ? { authorization, 'content-type': 'application/json' } : {};
    return new Promise((resolve, reject) => {
      const request = http.request({ port: this.port, path, method, agent: this.agent, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      });
      request.once('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }

  async prepare() {
    const status = await this.request('POST', '/api/v1/user/repos', {
      name: 'compared',
      auto_init: true,
      default_branch: 'main',
    });
    for (let n = 0; status === 201 && n < 20; n++)
      await this.request('POST', '/api/v1/repos/root/compared/branches', { new_branch_name: `b${n}` });
  }

  /** Milliseconds of processor time of the process so far; the kernel counts hundredths of a second. */
  used() {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Microseconds of processor time a request. */
  async cost(path, requests) {
    const before = this.used();
    let left = requests;
    const ask = async () => {
      while (left-- > 0) {
        const status = await this.request('GET', path);
        if (status !== 200) throw new Error(`${path} answers ${status}`);
      }
    };
    await Promise.all(Array.from({ length: connections }, ask));
    return ((this.used() - before) * 1000) / requests;
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const servers = [new Server(options.old), new Server(options.new)];
for (const server of servers) await server.prepare();
console.log('| operation | old, µs | new, µs | rate new/old |\n|---|---|---|---|');
for (const [name, path] of Object.entries(rows)) {
  if (options.only && !options.only.split(',').includes(name)) continue;
  const costs = new Map(servers.map((server) => [server, []]));
  for (const server of servers) await server.cost(path, Number(options.requests));
  for (let round = 0; round < Number(options.rounds); round++)
    for (const server of round % 2 ? servers.toReversed() : servers)
      costs.get(server).push(await server.cost(path, Number(options.requests)));
  const [before, now] = servers.map((server) => median(costs.get(server)));
  console.log(`| ${name} | ${before.toFixed(0)} | ${now.toFixed(0)} | ${(before / now).toFixed(2)} |`);
}
for (const { agent } of servers) agent.destroy();
