import { defineService } from '@mortise/plugin-sdk';
import type { ActionScope, ScopedRepository } from './scopes.js';

type NamedValues = Readonly<Record<string, string>>;

/** Secrets and variables for jobs of a repository; names are in capitals. */
export interface JobSecrets {
  /** The `vars` context: of the site, the owner, the repository and, where one is given, the environment; each over those before. */
  variablesOf(repository: ScopedRepository, environmentId?: number): Promise<NamedValues>;
  /** The owner's, over them the repository's, in plain text. Whether a job may have them decides who asks. */
  secretsOf(repository: ScopedRepository): Promise<NamedValues>;
  /** Those that jobs get besides which deploy to the environment; over the others. */
  environmentSecretsOf(environmentId: number): Promise<NamedValues>;
  secretNamesOf(repository: ScopedRepository): Promise<ReadonlySet<string>>;
}
export const jobSecrets = defineService<JobSecrets>('actions.jobSecrets');

/** A secret as far as it is ever shown. Times are milliseconds since 1970 UTC. */
export interface SecretSummary {
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
}

export interface NewSecret {
  readonly name: string;
  readonly data: string;
  readonly description?: string;
}

export interface Secrets {
  list(scope: ActionScope, page: { limit: number; offset: number }): Promise<{ items: SecretSummary[]; total: number }>;
  /** Gives whether it is new. BadRequest for a name that cannot be, and for more than 65536 bytes. */
  put(scope: ActionScope, secret: NewSecret): Promise<boolean>;
  /** NotFound where there is none. */
  remove(scope: ActionScope, name: string): Promise<void>;
  /** Seals all of them with a new key and forgets the keys before it; gives how many. Goes on where a call was killed. */
  rotate(): Promise<number>;
}
export const secrets = defineService<Secrets>('actions.secrets');

export interface Variable {
  readonly scope: ActionScope;
  readonly name: string;
  readonly value: string;
  readonly description: string;
}

export interface Variables {
  list(scope: ActionScope, page: { limit: number; offset: number }): Promise<{ items: Variable[]; total: number }>;
  find(scope: ActionScope, name: string): Promise<Variable>;
  /** Conflict when the name is taken, BadRequest for a name that cannot be. */
  create(scope: ActionScope, variable: Omit<Variable, 'scope'>): Promise<void>;
  /** NotFound where there is none; `name` is the new one. */
  update(scope: ActionScope, name: string, variable: Omit<Variable, 'scope'>): Promise<void>;
  remove(scope: ActionScope, name: string): Promise<void>;
}
export const variables = defineService<Variables>('actions.variables');
