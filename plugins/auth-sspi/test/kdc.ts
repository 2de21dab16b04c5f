import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@mortise/plugin-sdk/testing';

const program = '/usr/sbin/krb5kdc';
export const realm = 'EXAMPLE.TEST';
export const otherRealm = 'OTHER.TEST';
const password = 'there';

interface ClientLibrary {
  initializeClient(service: string, options: object): Promise<{ step(challenge: string): Promise<string> }>;
}
const library = (): ClientLibrary & { readonly GSS_MECH_OID_SPNEGO: number } =>
  createRequire(import.meta.url)('kerberos') as never;

const canLoad = (): boolean => {
  try {
    return Boolean(library());
  } catch {
    return false;
  }
};
export const hasKerberos = existsSync(program) && canLoad();

/**
 * A key distribution centre of two realms that trust each other (MIT Kerberos), a normal process on a free port with all
 * its files in a folder. This process, which is the server under test, is pointed to it by its environment.
 */
export class Kdc {
  readonly keytab: string;
  readonly #before: Readonly<Record<string, string | undefined>>;

  private constructor(
    readonly folder: string,
    private readonly port: number,
  ) {
    this.keytab = join(folder, 'keytab');
    this.#before = Object.fromEntries(Object.keys(this.environment).map((name) => [name, process.env[name]]));
    Object.assign(process.env, this.environment);
  }
  private child: ChildProcess | undefined;

  static async start(): Promise<Kdc> {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-kdc-'));
    const kdc = new Kdc(folder, await freePort());
    try {
      await kdc.begin();
      return kdc;
    } catch (error) {
      kdc.stop();
      throw error;
    }
  }

  get environment(): Readonly<Record<string, string>> {
    return {
      KRB5_CONFIG: join(this.folder, 'krb5.conf'),
      KRB5_KDC_PROFILE: join(this.folder, 'kdc.conf'),
      KRB5RCACHEDIR: this.folder,
      KRB5_KTNAME: `FILE:${join(this.folder, 'nothing')}`,
    };
  }

  private async begin(): Promise<void> {
    const { folder, port } = this;
    const realms = [realm, otherRealm];
    writeFileSync(
      join(folder, 'krb5.conf'),
      `[libdefaults]
default_realm = ${realm}
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
[realms]
${realms.map((one) => `${one} = {\n kdc = 127.0.0.1:${port}\n}`).join('\n')}
[domain_realm]
localhost = ${realm}
`,
    );
    writeFileSync(
      join(folder, 'kdc.conf'),
      `[kdcdefaults]
kdc_listen = 127.0.0.1:${port}
kdc_tcp_listen = 127.0.0.1:${port}
[realms]
${realms
  .map((one) => {
    mkdirSync(join(folder, one));
    return `${one} = {\n database_name = ${folder}/${one}/db\n key_stash_file = ${folder}/${one}/stash\n acl_file = ${folder}/${one}/acl\n}`;
  })
  .join('\n')}
[logging]
kdc = FILE:${folder}/kdc.log
admin_server = FILE:${folder}/admin.log
default = FILE:${folder}/default.log
`,
    );
    for (const one of realms) this.run('kdb5_util', ['-r', one, 'create', '-s', '-P', 'master']);
    for (const one of realms) this.admin(one, `addprinc -pw trust krbtgt/${realm}@${otherRealm}`);
    this.admin(realm, 'addprinc -randkey HTTP/localhost');
    this.admin(realm, `ktadd -k ${this.keytab} HTTP/localhost`);
    const settings = realms.flatMap((one) => ['-r', one]);
    const child = spawn(program, ['-n', ...settings], { stdio: ['ignore', 'ignore', 'pipe'], env: process.env });
    this.child = child;
    let said = '';
    child.stderr?.on('data', (chunk) => (said += chunk));
    for (let left = 100; !(await isOpen(port)); left--) {
      if (left === 0 || child.exitCode !== null) throw new Error(`krb5kdc does not start: ${said}`);
      await wait(100);
    }
  }

  /** Adds a person, or with a `/` another principal, and gets them a ticket. */
  person(name: string, at = realm): void {
    this.admin(at, `addprinc -pw ${password} ${name}`);
    this.run('kinit', ['-c', this.tickets(name), `${name}@${at}`], `${password}\n`);
  }

  /** Environment of a client of that person. */
  as(name: string): NodeJS.ProcessEnv {
    return { ...process.env, KRB5CCNAME: this.tickets(name) };
  }

  /** A fresh `Authorization` for the service, as a browser of that person makes it. */
  async authorization(name: string, { spnego = true } = {}): Promise<string> {
    process.env.KRB5CCNAME = this.tickets(name);
    const { initializeClient, GSS_MECH_OID_SPNEGO } = library();
    const client = await initializeClient('HTTP@localhost', spnego ? { mechOID: GSS_MECH_OID_SPNEGO } : {});
    return `Negotiate ${await client.step('')}`;
  }

  private tickets(name: string): string {
    return `FILE:${join(this.folder, `tickets-${name.replace('/', '-')}`)}`;
  }

  private admin(at: string, command: string): void {
    this.run('kadmin.local', ['-r', at, '-q', command]);
  }

  private run(command: string, args: readonly string[], input = ''): void {
    const run = spawnSync(command, args, { input, encoding: 'utf8', env: { ...process.env, ...this.environment } });
    if (run.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${run.stderr}`);
  }

  stop(): void {
    this.child?.kill('SIGKILL');
    for (const [name, value] of Object.entries(this.#before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    delete process.env.KRB5CCNAME;
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
