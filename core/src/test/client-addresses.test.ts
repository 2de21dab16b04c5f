import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { networkOf } from '@mortise/plugin-sdk';
import { ClientAddresses } from '../http/clients.js';
import { securitySettings, type SecuritySettings } from '../http/settings.js';
import { recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('who the client is behind proxies', () => {
  const make = (settings: object = {}) => {
    const log = recordingLog();
    const security = securitySettings.validate(settings).value as SecuritySettings;
    return { log, clients: new ClientAddresses(security, log) };
  };

  it('believes trusted proxies only, and as many as are said to be there', () => {
    const { clients } = make();
    expect(clients.addressOf('127.0.0.1', '198.51.100.7, 203.0.113.9', undefined)).to.equal('203.0.113.9');
    expect(clients.addressOf('::1', undefined, '203.0.113.9')).to.equal('203.0.113.9');
    expect(clients.addressOf('127.0.0.1', 'nobody', undefined)).to.equal('127.0.0.1');
    expect(clients.addressOf('198.51.100.7', '203.0.113.9', undefined)).to.equal('198.51.100.7');
    const two = make({ REVERSE_PROXY_LIMIT: 2, REVERSE_PROXY_TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1' }).clients;
    expect(two.addressOf('192.0.2.1', '198.51.100.7, 10.1.2.3', undefined)).to.equal('198.51.100.7');
    expect(two.addressOf('127.0.0.1', '198.51.100.7', undefined)).to.equal('127.0.0.1');
    expect(make({ REVERSE_PROXY_LIMIT: 0 }).clients.addressOf('127.0.0.1', '203.0.113.9', '203.0.113.9')).to.equal(
      '127.0.0.1',
    );
  });

  it('writes each address in one form', () => {
    const { clients } = make();
    const told = (address: string) => clients.addressOf('127.0.0.1', address, undefined);
    expect(clients.addressOf('::ffff:203.0.113.9', undefined, undefined)).to.equal('203.0.113.9');
    expect(told('::FFFF:CB00:7109')).to.equal('203.0.113.9');
    expect(told('2001:DB8:0:0::1')).to.equal(told('2001:db8::1'));
  });

  it('warns once of a proxy that the operator forgot', () => {
    const { clients, log } = make();
    clients.addressOf('198.51.100.7', '203.0.113.9', undefined);
    expect(log.lines).to.equal([]);
    for (let again = 0; again < 3; again++) clients.addressOf('172.17.0.1', '203.0.113.9', undefined);
    expect(log.lines).to.have.length(1);
  });
});

describe('the network of a client', () => {
  it('S11: is an IPv4 address, or the /64 of IPv6, however it is written', () => {
    for (const [address, network] of [
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:cb00:7107', '203.0.113.7'],
      ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
      ['2001:0db8::7:0:0:0:1', '2001:db8:0:7'],
      ['2001:0db8:0001:0002::', '2001:db8:1:2'],
      ['2001:DB8::1', '2001:db8:0:0'],
      ['fe80::1%eth0', 'fe80:0:0:0'],
      ['::1', '0:0:0:0'],
      ['::', '0:0:0:0'],
      ['nonsense', 'nonsense'],
      ['', ''],
    ] as const)
      expect(networkOf(address), address).to.equal(network);
  });
});
