import { request } from 'node:http';
import { connect } from 'node:net';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { channels } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { basicAuth } from '@mortise/accounts/testing';
import { sessions } from '@mortise/sessions/api';
import { makeWorld, plain, signedIn, speaking, until, type Heard, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the push channel', () => {
  let world: World;
  const open: Heard[] = [];
  before(async () => {
    world = await makeWorld({ settings: { websocket: { MAX_PER_ACCOUNT: 4 } } });
    await send('ada', 'POST', '/api/v1/user/repos', { name: 'desk' });
  });
  after(async () => {
    for (const { ws } of open) ws.terminate();
    await world.host.close();
  });
  const send = async (name: string, method: string, url: string, payload?: object) => {
    const answer = await world.host.inject({
      method: method as 'GET',
      url,
      headers: { authorization: basicAuth(name) },
      ...(payload && { payload }),
    });
    expect(answer.statusCode, url).to.be.below(400);
    return answer;
  };
  const come = async (name: 'ada' | 'ben'): Promise<Heard> => {
    const heard = await plain(world.address, await signedIn(world.host, world.ids[name]));
    open.push(heard);
    return heard;
  };
  const leave = async (...all: Heard[]) => {
    for (const { ws, closed } of all) {
      ws.close();
      await closed;
    }
  };

  it('PSH-02: is for who is signed in; others are told so, and plain requests that it is a WebSocket', async () => {
    const { host, address } = world;
    const stranger = await plain(address);
    expect(await stranger.closed).to.equal({ code: 3000, reason: 'unauthenticated' });
    const wrong = await plain(address, { authorization: `Basic ${btoa('ada:not her password')}` });
    expect(await wrong.closed).to.equal({ code: 3000, reason: 'unauthenticated' });
    const asked = await host.inject('/-/ws');
    expect([asked.statusCode, asked.headers.upgrade]).to.equal([426, 'websocket']);
    expect((await host.inject({ url: '/-/ws', headers: { authorization: basicAuth('ada') } })).statusCode).to.equal(
      426,
    );
  });

  it('PSH-05: there is no /user/events', async () => {
    expect((await world.host.inject('/user/events')).statusCode).to.equal(404);
  });

  it('pages of other sites open nothing, whoever their visitor is', async () => {
    const cookie = await signedIn(world.host, world.ids.ada);
    await expect(plain(world.address, { ...cookie, origin: 'https://evil.example' })).to.reject(/403/);
    const own = await plain(world.address, { ...cookie, origin: new URL(world.address).origin.replace('ws', 'http') });
    await leave(own);
  });

  it('PSH-01, PSH-03, PSH-07: tells each account the number of its unread notifications, in both ways of speaking', async () => {
    const { host, address, ids } = world;
    const [bare, other] = [await come('ada'), await come('ben')];
    const { updates, client } = await speaking(address, await signedIn(host, ids.ada));
    await send('ben', 'POST', '/api/v1/repos/ada/desk/issues', { title: 'news' });
    const told = { eventType: 'notification-count', eventData: { count: 1 } };
    await until(() => bare.frames.length > 0 && updates.length > 0);
    expect([bare.frames, updates]).to.equal([[told], [told]]);
    await send('ada', 'PUT', '/api/v1/notifications');
    await until(() => bare.frames.length > 1 && updates.length > 1);
    expect(bare.frames[1]).to.equal({ eventType: 'notification-count', eventData: { count: 0 } });
    expect(other.frames).to.equal([]);
    await client.disconnect();
    await leave(bare, other);
  });

  it('tells who asks for the state how many are unread, also a client that is slow to say hello, and nobody else', async () => {
    const { host, address, ids } = world;
    const cookie = await signedIn(host, ids.ada);
    const [beside, asking] = [await plain(address, cookie), await plain(`${address}?state`, cookie)];
    open.push(beside, asking);
    const told = { eventType: 'notification-count', eventData: { count: 0 } };
    await until(() => asking.frames.length > 0);
    const { updates, client } = await speaking(`${address}?state=1`, cookie);
    await until(() => updates.length > 0);
    expect(updates).to.equal([told]);
    await client.disconnect();

    const slow = await plain(`${address}?state`, cookie);
    open.push(slow);
    await until(() => slow.frames.length > 0);
    slow.ws.send(JSON.stringify({ type: 'hello', id: 1, version: '2' }));
    await until(() => slow.frames.some(({ type }) => type === 'update'));
    expect(slow.frames.find(({ type }) => type === 'update')).to.include({ message: told });
    expect([asking.frames, beside.frames]).to.equal([[told], []]);
    await leave(beside, asking, slow);
  });

  it('is not for a page of somebody else, when another has signed in meanwhile', async () => {
    const { host, address, ids } = world;
    const cookie = await signedIn(host, ids.ada);
    expect((await (await plain(`${address}?user=${ids.ben}`, cookie)).closed).code).to.equal(3000);
    await leave(await plain(`${address}?user=${ids.ada}`, cookie));
  });

  it('PSH-08: tells the stopwatches that run', async () => {
    const bare = await come('ada');
    await send('ada', 'POST', '/api/v1/repos/ada/desk/issues/1/stopwatch/start');
    const [first] = await until(() => bare.frames.length > 0 && bare.frames);
    const { eventType, eventData } = first as { eventType: string; eventData: Record<string, unknown>[] };
    expect(eventType).to.equal('stopwatches');
    expect(Object.keys(eventData[0]!).sort()).to.equal(
      ['created', 'duration', 'issue_index', 'issue_title', 'repo_name', 'repo_owner_name', 'seconds'].sort(),
    );
    await send('ada', 'DELETE', '/api/v1/repos/ada/desk/issues/1/stopwatch/delete');
    await until(() => bare.frames.some((one) => JSON.stringify(one) === '{"eventType":"stopwatches","eventData":[]}'));
    await leave(bare);
  });

  it('PSH-09: a sign-out reaches that browser alone, or all, and ends what it reaches', async () => {
    const { host, address, ids } = world;
    const [one, two] = [await come('ada'), await come('ada')];
    const { updates, client } = await speaking(address, await signedIn(host, ids.ada));
    const service = host.services.get(sessions);
    const [, second] = await service.list(ids.ada);
    // newest first: the client of nes, then `two`
    await service.end(ids.ada, { id: second!.id });
    expect(await two.closed).to.equal({ code: 3000, reason: 'unauthenticated' });
    expect(two.frames).to.equal([{ eventType: 'logout' }]);
    expect(one.frames).to.equal([]);
    await service.end(ids.ada, {});
    expect((await one.closed).code).to.equal(3000);
    expect(one.frames).to.equal([{ eventType: 'logout' }]);
    await until(() => updates.length > 0);
    expect(updates).to.equal([{ eventType: 'logout' }]);
    await client.disconnect();
  });

  it('ends with the right to sign in', async () => {
    const { host, ids } = world;
    const ben = await come('ben');
    await host.services.get(accounts).update(ids.ben, { prohibitLogin: true });
    expect((await ben.closed).code).to.equal(3000);
    await host.services.get(accounts).update(ids.ben, { prohibitLogin: false });
  });

  it('is bounded: connections of an account, length and number of messages', async () => {
    const many = [await come('ben'), await come('ben'), await come('ben'), await come('ben')];
    expect((await (await come('ben')).closed).code).to.equal(1013);
    many[0]!.ws.send('x'.repeat(5000));
    expect((await many[0]!.closed).code).to.equal(1009);
    for (let said = 0; said < 70; said++) many[1]!.ws.send('{}');
    expect((await many[1]!.closed).code).to.equal(1008);
    await leave(many[2]!, many[3]!);
    await leave(await come('ben'));
  });

  it('what a transaction publishes is heard when it has committed, and not when it has not', async () => {
    const { host, ids } = world;
    const bare = await come('ada');
    const publish = () => host.services.get(channels).publish('stopwatches', { userIds: [ids.ada] });
    const broken = host.database.write(async () => {
      await publish();
      throw new Error('taken back');
    });
    await expect(broken).to.reject('taken back');
    await host.database.write(publish);
    await until(() => bare.frames.length > 0);
    expect(bare.frames).to.equal([{ eventType: 'stopwatches', eventData: [] }]);
    await leave(bare);
  });

  it('is no way around HTTP: routes cannot be asked over it', async () => {
    const { host, address, ids } = world;
    const { client } = await speaking(address, await signedIn(host, ids.ada));
    const refusal = await client.request({ method: 'GET', path: '/api/v1/user' }).catch((error: unknown) => error);
    expect((refusal as { statusCode?: number }).statusCode).to.equal(403);
    await client.disconnect();
  });

  it('PSH-06: asks the database nothing while nothing changes, and nothing for who does not listen', async () => {
    const { host, ids } = world;
    const bare = await come('ada');
    await until(() => bare.ws.readyState === bare.ws.OPEN);
    let asked = 0;
    const stop = watchQueries(host, () => asked++);
    await host.services.get(channels).publish('notification-count', { userIds: [ids.ben] });
    await new Promise((resolve) => setTimeout(resolve, 700));
    stop();
    expect(asked).to.equal(0);
    await leave(bare);
  });

  it('other upgrades are requests as any, also of HTTP/2 clients', async () => {
    const { hostname, port } = new URL(world.address);
    const asked = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let text = '';
      socket.on('data', (part) => {
        text += part.toString();
        if (text.includes('"version"')) {
          socket.destroy();
          resolve(text);
        }
      });
      socket.on('error', reject);
      socket.write(
        `GET /api/v1/version HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n`,
      );
    });
    expect(asked).to.match(/^HTTP\/1\.1 200/);
    const elsewhere = await new Promise<number>((resolve, reject) => {
      const asking = request({
        host: hostname,
        port,
        path: '/api/v1/version',
        headers: { connection: 'upgrade', upgrade: 'websocket' },
      });
      asking.on('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode!);
      });
      asking.on('error', reject);
      asking.end();
    });
    expect(elsewhere).to.equal(200);
  });
});

/** Calls `told` for each query of the host's database handle. */
function watchQueries(host: World['host'], told: () => void): () => void {
  const knex = host.database.knex() as unknown as {
    on(name: string, heard: () => void): void;
    removeListener(name: string, heard: () => void): void;
  };
  knex.on('query', told);
  return () => knex.removeListener('query', told);
}
