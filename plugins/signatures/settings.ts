import { Joi } from '@mortise/plugin-sdk';
import { siteTrustModels, type SiteTrustModel } from './services/trust.js';

export interface SigningSettings {
  SIGNING_KEY: string;
  SIGNING_NAME: string;
  SIGNING_EMAIL: string;
  SIGNING_FORMAT: 'openpgp' | 'ssh';
  DEFAULT_TRUST_MODEL: SiteTrustModel;
  INITIAL_COMMIT: string;
  CRUD_ACTIONS: string;
  WIKI: string;
  MERGES: string;
  TRUSTED_SSH_KEYS: string;
}

const rules = (words: readonly string[]) =>
  Joi.string().custom((value: string) => {
    for (const word of value.split(',').map((one) => one.trim()))
      if (!words.includes(word)) throw new Error(`knows ${words.join(', ')}, not "${word}"`);
    return value;
  });

/** `[repository.signing]`. */
export const signingSettings = Joi.object<SigningSettings, true>({
  SIGNING_KEY: Joi.string()
    .invalid('default')
    .default('none')
    .description(
      'File with the private key that signs commits made by the site, below the work folder or absolute: armoured OpenPGP, or an SSH key with SIGNING_FORMAT = ssh; none: the site signs nothing.',
    )
    // "default" would be the key of the settings of git, which are not asked here
    .meta({ compatible: [{ from: /^default$/, to: 'none' }] }),
  SIGNING_NAME: Joi.string().allow('').default('').description('Name of the signer; empty: the name in the key.'),
  SIGNING_EMAIL: Joi.string()
    .allow('')
    .default('')
    .description('Email address of the signer; empty: the one in the key.'),
  SIGNING_FORMAT: Joi.string().valid('openpgp', 'ssh').default('openpgp').description('Kind of SIGNING_KEY.'),
  DEFAULT_TRUST_MODEL: Joi.string()
    .valid(...siteTrustModels)
    .default('collaborator')
    .description(
      'Whose verified signatures pages show as trusted, in repositories that choose nothing else: those of the owner and collaborators, of the committer, or of a committer who is one of them.',
    )
    .meta({ compatible: [{ from: /^default$/i, to: 'collaborator' }] }),
  INITIAL_COMMIT: rules(['always', 'never', 'pubkey', 'twofa'])
    .default('always')
    .description('When the first commit of a repository is signed: always, never, pubkey, twofa.'),
  CRUD_ACTIONS: rules(['always', 'never', 'pubkey', 'twofa', 'parentsigned'])
    .default('pubkey, twofa, parentsigned')
    .description(
      'When commits of the editor and the API are signed; all of the words must hold: always, never, pubkey, twofa, parentsigned.',
    ),
  WIKI: rules(['always', 'never', 'pubkey', 'twofa', 'parentsigned'])
    .default('never')
    .description('The same for pages of wikis.'),
  MERGES: rules(['always', 'never', 'pubkey', 'twofa', 'basesigned', 'commitssigned', 'headsigned', 'approved'])
    .default('pubkey, twofa, basesigned, commitssigned')
    .description('The same for merges; also basesigned, headsigned, commitssigned, approved.'),
  TRUSTED_SSH_KEYS: Joi.string()
    .allow('')
    .default('')
    .description('SSH public keys, separated by commas, whose signatures count for any committer.'),
});
