import type { Site } from '@mortise/plugin-sdk';
import type { SshAddresses } from '../contract/git-ssh.js';
import type { SshSettings } from '../settings.js';
import type { HostKey } from './host-keys.js';

/** Addresses to clone from over SSH. */
export class Addresses implements SshAddresses {
  /** Filled when the server starts. */
  keys: readonly HostKey[] = [];
  /** Set when the port was chosen by the system. */
  boundPort = 0;

  constructor(
    private readonly site: Site,
    private readonly settings: Readonly<SshSettings>,
    /** On port 22 too. */
    private readonly isAlwaysUri = false,
  ) {}

  get enabled(): boolean {
    return !this.settings.DISABLE_SSH;
  }

  get user(): string {
    return this.settings.SSH_USER || this.settings.BUILTIN_SSH_SERVER_USER;
  }

  private ownDomain: string | undefined;

  get domain(): string {
    return this.settings.SSH_DOMAIN || (this.ownDomain ??= new URL(this.site.rootUrl).hostname.replace(/^\[|\]$/g, ''));
  }

  get port(): number {
    return this.settings.SSH_PORT || this.boundPort;
  }

  address(path: string): string {
    if (!this.enabled) return '';
    const { user, port } = this;
    const domain = this.domain.includes(':') ? `[${this.domain}]` : this.domain;
    if (port !== 22) return `ssh://${user}@${domain}:${port}/${path}.git`;
    return this.isAlwaysUri ? `ssh://${user}@${domain}/${path}.git` : `${user}@${domain}:${path}.git`;
  }

  hostKeys() {
    return this.keys.map(({ algorithm, fingerprint, key }) => ({ algorithm, fingerprint, key }));
  }
}
