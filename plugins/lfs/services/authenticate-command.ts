import { BadRequest, type Actor, type Site } from '@mortise/plugin-sdk';
import { deployKeyGrant } from '@mortise/repositories/api';
import type { SshCommand } from '@mortise/git-ssh/api';
import type { LfsGate } from './lfs-gate.js';
import type { LfsTokens } from './lfs-tokens.js';

interface SshDeps {
  readonly gate: LfsGate;
  readonly tokens: LfsTokens;
  readonly site: Site;
  /** Milliseconds. */
  readonly expiry: number;
}

const keyOf = (actor: Actor) => {
  if (actor.kind !== 'deploy-key') return undefined;
  const { readOnly = true } = deployKeyGrant.of(actor) ?? {};
  return { id: actor.credentialId ?? 0, title: actor.name, readOnly };
};

/** `git-lfs-authenticate owner/name.git download|upload`: where to go with HTTP, and the token to go with. */
export function authenticateCommand({ gate, tokens, site, expiry }: SshDeps): SshCommand {
  return {
    key: 'git-lfs-authenticate',
    async run({ actor, args, fingerprint, write }) {
      const [path = '', operation] = args;
      const [owner, repo, ...more] = path.replace(/^\/+|\/+$/g, '').split('/');
      if (!owner || !repo || more.length > 0) throw BadRequest('Usage: git-lfs-authenticate OWNER/NAME.git OPERATION');
      if (operation !== 'download' && operation !== 'upload')
        throw BadRequest('The operation must be download or upload.');
      const { repository } = await gate.open({ actor, owner, repo, operation });
      const deployKey = keyOf(actor);
      const expiresAt = Date.now() + expiry;
      const token = tokens.issue({
        repositoryId: repository.id,
        operation,
        userId: deployKey ? 0 : actor.id,
        ...(deployKey ? { deployKey } : {}),
        ...(actor.publicOnly ? { publicOnly: true } : {}),
        fingerprint,
        expiresAt,
      });
      await write(
        `${JSON.stringify({
          href: site.url(`/${repository.ownerName}/${repository.name}.git/info/lfs`),
          header: { Authorization: `Bearer ${token}` },
          expires_in: Math.floor(expiry / 1000),
          expires_at: new Date(expiresAt).toISOString(),
        })}\n`,
      );
    },
  };
}
