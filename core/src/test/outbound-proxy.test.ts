import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Logger } from '@mortise/plugin-sdk';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { checkResolved } from '../outbound/connect.js';
import { AllowedHosts } from '../outbound/hosts.js';
import { createOutbound } from '../outbound/index.js';
import { ProxyChoice, proxyAuthorization, proxySettings } from '../outbound/proxy.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const nothing = () => {};
const log: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('[proxy]: the way of requests to other servers', () => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.end('by the proxy');
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    const remote = connect(Number(request.url!.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(remote).pipe(socket);
    });
    remote.on('error', () => socket.destroy());
  });
  let address: string;
  before(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const outbound = (hosts: string, list = 'external') =>
    createOutbound({
      settings: { ALLOWED_HOST_LIST: list },
      proxy: { PROXY_ENABLED: true, PROXY_URL: `http://clerk:word@${address}`, PROXY_HOSTS: hosts },
      log,
    });

  it('names that the list holds go by it, others directly', async () => {
    asked.length = 0;
    const out = outbound('*.example, 127.0.0.1:1', '*');
    const answer = await out.fetch('http://code.example/x?y=1', {});
    expect(answer.body.toString()).to.equal('by the proxy');
    const login = `Basic ${Buffer.from('clerk:word').toString('base64')}`;
    expect(asked).to.equal([`GET http://code.example/x?y=1 ${login}`]);
    await out.fetch(`http://${address}/`, {});
    expect(asked[1]).to.equal('GET /');
    const { socket, target, headers } = await out.connectHttp('http://code.example/x?y=1', {});
    socket.destroy();
    expect([target, headers]).to.equal(['http://code.example/x?y=1', { 'proxy-authorization': login }]);
    const direct = await out.connectHttp(`http://${address}/a?b`, {});
    direct.socket.destroy();
    expect([direct.target, direct.headers]).to.equal(['/a?b', {}]);
  });

  it('GEN-14: addresses are checked as without a proxy, and after each redirect', async () => {
    asked.length = 0;
    const out = outbound('**');
    for (const inwards of ['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://10.0.0.1/', 'https://localhost:9/'])
      for (const ask of [() => out.fetch(inwards, {}), () => out.connectHttp(inwards, {})])
        await expect(ask(), inwards).to.reject(/not allowed/);
    expect(asked).to.be.empty();
    // what the proxy alone knows is its business
    expect((await out.fetch('http://code.example/', {})).status).to.equal(200);
  });

  it('a tunnel leads to the server, and a refusal of the proxy is one', async () => {
    asked.length = 0;
    const out = outbound('**', '*');
    const server = createServer((_request, response) => response.end('inside'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { socket } = await out.connectHttp(`https://inner.example:${port}/`, {});
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).to.contain('inside');
    expect(asked).to.equal([`CONNECT inner.example:${port}`]);
    server.close();
    await expect(out.connectHttp('https://inner.example:1/', { timeoutMs: 2000 })).to.reject();
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await expect(out.connectHttp('https://inner.example:1/', { signal: stop.signal })).to.reject('enough');
  });

  it('S4: a name that only the proxy knows must be in a list that names hosts alone', async () => {
    const isRefused = async (list: string) =>
      checkResolved('nowhere.invalid', new AllowedHosts(list)).then(
        () => false,
        () => true,
      );
    expect(await isRefused('git.partner.example')).to.be.true();
    expect(await isRefused('*.partner.example,git.partner.example')).to.be.true();
    for (const list of ['*.invalid', 'external,git.partner.example', '*', ''])
      expect(await isRefused(list), list).to.be.false();
  });

  it('takes a password with a bare percent sign as it is', () => {
    const { 'proxy-authorization': sent = '' } = proxyAuthorization(new URL('http://u:100%@p.example:3128'));
    expect(Buffer.from(sent.slice('Basic '.length), 'base64').toString()).to.equal('u:100%');
  });

  it('no_proxy knows networks, IPv6 addresses and ports, and this machine is reached without a proxy', () => {
    const via = (url: string, no_proxy = '') =>
      new ProxyChoice(
        { PROXY_ENABLED: true, PROXY_URL: '', PROXY_HOSTS: '' },
        { http_proxy: 'http://a.example:1', no_proxy },
      ).for(new URL(url)) !== undefined;
    const list = '10.1.0.0/16 192.0.2.7,fd00::/8, [2001:db8::1]:81,2001:db8::2,[2001:db8:5::]/48, 198.51.100.9:8080';
    for (const direct of [
      'http://10.1.255.1/',
      'http://192.0.2.7:99/',
      'http://[::ffff:10.1.2.3]/',
      'http://[fd12:3456::1]/',
      'http://[2001:db8::1]:81/',
      'http://[2001:db8::2]:99/',
      'http://[2001:db8:5:1::9]/',
      'http://198.51.100.9:8080/',
      'http://localhost:3000/',
      'http://127.0.0.1/',
      'http://127.9.9.9:81/',
      'http://[::1]:81/',
    ])
      expect(via(direct, list), direct).to.be.false();
    for (const proxied of [
      'http://10.2.0.1/',
      'http://192.0.2.70/',
      'http://[fe80::1]/',
      'http://[2001:db8::1]/',
      'http://[2001:db8:6::9]/',
      'http://198.51.100.9/',
      'http://10.1.0.0.example/',
      'http://localhost.example/',
    ])
      expect(via(proxied, list), proxied).to.be.true();
    for (const nonsense of ['10.0.0.0/33', 'x.example/8', '::/129', ':', '/', '[', '300.1.1.1/8'])
      expect(via('http://10.0.0.1/', nonsense), nonsense).to.be.true();
    expect(via('http://10.0.0.1/', '0.0.0.0/0'), 'a network of all').to.be.false();
  });

  it('follows the environment for what the list does not name, where it is on', () => {
    const environment = {
      http_proxy: 'http://a.example:1',
      HTTPS_PROXY: 'b.example:2',
      no_proxy: 'localhost, .inner.example,*.wide.example, plain.example:81',
    };
    const via = (url: string, more: object = {}) =>
      new ProxyChoice({ PROXY_ENABLED: true, PROXY_URL: '', PROXY_HOSTS: '', ...more }, environment).for(new URL(url))
        ?.host;
    expect(via('http://x.example/')).to.equal('a.example:1');
    expect(via('https://x.example/')).to.equal('b.example:2');
    for (const direct of [
      'http://localhost/',
      'http://a.inner.example/',
      'http://inner.example/',
      'https://a.wide.example/',
      'http://plain.example:81/',
    ])
      expect(via(direct), direct).to.be.undefined();
    expect(via('http://plain.example/')).to.equal('a.example:1');
    expect(via('http://x.example/', { PROXY_ENABLED: false })).to.be.undefined();
    const named = { PROXY_URL: 'http://c.example:3', PROXY_HOSTS: 'x.example' };
    expect([via('http://X.example/', named), via('http://y.example/', named)]).to.equal(['c.example:3', 'a.example:1']);
    expect(proxySettings.validate({ PROXY_URL: 'socks5://a.example' }).error?.message).to.contain('PROXY_URL');
  });
});
