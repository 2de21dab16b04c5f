/** The public contract of `git-ssh`: further commands over SSH, and the addresses to clone from. */
import type { Readable } from 'node:stream';
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';

/** One command that a client runs over SSH: `ssh git@host NAME ARGUMENTS`. */
interface SshCall {
  /**
   * Who runs it. For a deploy key: that of the repository which the first argument names
   * (`owner/name.git`, also quoted or with a leading slash); refused before the handler when the key does not open it.
   */
  readonly actor: Actor;
  /** Arguments without their quotes, the command's name left out. */
  readonly args: readonly string[];
  /** Variables that clients may send: `GIT_PROTOCOL` only. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the client sends; ends when it closes its side. */
  readonly input: Readable;
  /** To standard output; resolves when there is room for more. */
  write(data: string | Buffer): Promise<void>;
  /** To standard error, which people see in their terminal. */
  err(data: string | Buffer): Promise<void>;
  /** Aborted when the client goes away, is idle for too long, or the server stops. */
  readonly signal: AbortSignal;
  readonly remoteAddress: string;
  /** `SHA256:…` of the key that signed in: what a command hands out can be asked again whether the key still holds. */
  readonly fingerprint: string;
}

/** Extension point: commands by name (`key`), for instance `git-lfs-authenticate`. Names are `[a-z][a-z0-9-]*`. */
export interface SshCommand extends Keyed {
  /**
   * Gives the exit code (nothing: 0). A Problem that is thrown is shown on standard error with exit code 1; anything
   * else that is thrown is a fault: logged, and told without details.
   */
  run(call: SshCall): Promise<number | void>;
}
export const sshCommands = definePoint.keyed<SshCommand>('git-ssh.commands');

/** Where this site is reached over SSH, as `[server]` says (DISABLE_SSH, SSH_DOMAIN, SSH_PORT, SSH_USER). */
export interface SshAddresses {
  /** False with DISABLE_SSH: addresses are empty then. */
  readonly enabled: boolean;
  readonly user: string;
  readonly domain: string;
  readonly port: number;
  /** Address of `owner/name` (or `owner/name.wiki`): `git@host:owner/name.git`, with a port `ssh://git@host:2222/owner/name.git`. */
  address(path: string): string;
  /** Public host keys with their fingerprints, for people to compare; empty while this server has none. */
  hostKeys(): readonly { readonly algorithm: string; readonly fingerprint: string; readonly key: string }[];
}
export const sshAddresses = defineService<SshAddresses>('git-ssh.addresses');
