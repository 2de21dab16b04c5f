import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { remoteFailureOf } from '../api.js';
import { parseRemoteAddress } from '../services/remote-address.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('addresses of repositories of other servers', () => {
  it('GEN-14: refuses what is no address of another server', () => {
    for (const bad of [
      '',
      '/tmp/x',
      './x',
      'x',
      'file:///tmp/x',
      'ext::sh -c id',
      'ext::sh',
      '--upload-pack=id',
      'http://%zz/',
      'http://a.example/\nx',
      'http://a.example/%0ax',
      'gopher://a.example/x',
      'ssh://-oProxyCommand=id/x',
      'git@-oProxyCommand=id:x',
      '-oProxyCommand=id@a.example:x',
      'C:\\x',
      'c:/x',
      'http://',
      'http://a.example:99999/x',
      // git would take the user name for the host
      'ssh://10.0.0.5%2Fx@a.example/y',
      'ssh://10.0.0.5%3A22%2Fx@a.example/y',
      'ssh://10.0.0.5%23@a.example/y',
      // longer in its own form than what is stored of it
      `http://a.example/${'\u00fc'.repeat(1000)}`,
    ]) {
      const problem = (() => {
        try {
          return parseRemoteAddress(bad) && undefined;
        } catch (error) {
          return error as Error;
        }
      })();
      expect(remoteFailureOf(problem), bad).to.equal('address');
      expect(problem, bad).to.include({ code: 'invalid' });
    }
    expect(parseRemoteAddress('http://[2001:db8:0:0:0:0:0:1]:8080/x.git').url).to.equal(
      'http://[2001:db8::1]:8080/x.git',
    );
    expect(parseRemoteAddress('http://[2001:db8::1]:8080/x.git')).to.include({ host: '2001:db8::1', port: 8080 });
    expect(parseRemoteAddress('https://ada:se%20cret@a.example/x.git')).to.equal({
      protocol: 'https',
      host: 'a.example',
      port: 443,
      url: 'https://a.example/x.git',
      username: 'ada',
      password: 'se cret',
    });
    expect(parseRemoteAddress('git@a.example:ada/x.git')).to.include({
      protocol: 'ssh',
      host: 'a.example',
      username: 'git',
    });
    expect(parseRemoteAddress('ssh://git@a.example:2222/x')).to.include({
      url: 'ssh://git@a.example:2222/x',
      port: 2222,
    });
  });
});
