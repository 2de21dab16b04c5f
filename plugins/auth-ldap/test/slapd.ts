import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@mortise/plugin-sdk/testing';

const program = '/usr/sbin/slapd';
export const hasSlapd = existsSync(program) && spawnSync('sh', ['-c', 'command -v ldapadd']).status === 0;

export const suffix = 'dc=example,dc=com';
export const searcher = { dn: `cn=searcher,${suffix}`, password: 'searches' };
const root = { dn: `cn=root,${suffix}`, password: 'roots' };

/** A directory of its own: configuration, data and certificate in a folder, on two free ports. */
export class Slapd {
  private constructor(
    readonly port: number,
    readonly tlsPort: number,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<Slapd> {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-slapd-'));
    const data = join(folder, 'data');
    mkdirSync(data);
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync(
      'openssl',
      `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout ${key} -out ${cert}`.split(' '),
    );
    if (made.status !== 0) throw new Error(String(made.stderr));
    const config = join(folder, 'slapd.conf');
    const schema = '/etc/ldap/schema';
    writeFileSync(
      config,
      [
        ...['core', 'cosine', 'inetorgperson', 'nis'].map((name) => `include ${schema}/${name}.schema`),
        "attributetype ( 1.3.6.1.4.1.24552.500.1.1.1.13 NAME 'sshPublicKey' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
        "objectclass ( 1.3.6.1.4.1.24552.500.1.1.2.0 NAME 'ldapPublicKey' SUP top AUXILIARY MAY ( sshPublicKey ) )",
        `pidfile ${join(folder, 'slapd.pid')}`,
        'modulepath /usr/lib/ldap',
        'moduleload back_mdb',
        `TLSCertificateFile ${cert}`,
        `TLSCertificateKeyFile ${key}`,
        'allow bind_anon_cred bind_anon_dn',
        'database mdb',
        'maxsize 16777216',
        `suffix "${suffix}"`,
        `rootdn "${root.dn}"`,
        `rootpw ${root.password}`,
        `directory ${data}`,
        'access to attrs=userPassword by anonymous auth by * none',
        'access to * by anonymous none by * read',
        '',
      ].join('\n'),
    );
    const [port, tlsPort] = [await freePort(), await freePort()];
    const urls = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${tlsPort}/`;
    const child = spawn(program, ['-f', config, '-h', urls, '-d', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.on('data', (chunk) => (said += chunk));
    const slapd = new Slapd(port, tlsPort, folder, child);
    for (let left = 100; !(await isOpen(port)); left--) {
      if (left === 0 || child.exitCode !== null) {
        slapd.stop();
        throw new Error(`slapd does not start: ${said}`);
      }
      await wait(100);
    }
    slapd.add(`dn: ${suffix}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ${searcher.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: searcher
userPassword: ${searcher.password}

dn: ou=people,${suffix}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${suffix}
objectClass: organizationalUnit
ou: groups
`);
    return slapd;
  }

  dnOf(uid: string): string {
    return `uid=${uid},ou=people,${suffix}`;
  }

  /** Adds a person with the password `there`. */
  person(uid: string, more: Record<string, string> = {}): void {
    const lines = { cn: uid, sn: 'Person', mail: `${uid}@example.com`, userPassword: 'there', ...more };
    this.add(
      [
        `dn: ${this.dnOf(uid)}`,
        'objectClass: inetOrgPerson',
        'objectClass: ldapPublicKey',
        `uid: ${uid}`,
        ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
        '',
      ].join('\n'),
    );
  }

  add(ldif: string): void {
    this.#run('ldapadd', [], ldif);
  }

  modify(ldif: string): void {
    this.#run('ldapmodify', [], ldif);
  }

  remove(dn: string): void {
    this.#run('ldapdelete', [dn]);
  }

  #run(command: string, more: readonly string[], input = ''): void {
    const bind = ['-x', '-H', `ldap://127.0.0.1:${this.port}`, '-D', root.dn, '-w', root.password];
    const run = spawnSync(command, [...bind, ...more], { input, encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`${command}: ${run.stderr}`);
  }

  stop(): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
