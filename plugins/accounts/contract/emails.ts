import { Joi, defineService } from '@mortise/plugin-sdk';

export interface EmailAddress {
  readonly id: number;
  readonly userId: number;
  readonly email: string;
  readonly isPrimary: boolean;
  /** In use, by one account only; what the API calls verified. Others may have claimed it. */
  readonly isVerified: boolean;
  /** Somebody other than the account's owner vouches for it: an administrator, or a mail that was answered. */
  readonly isConfirmed: boolean;
  /** The same without administrators: a mail was answered, or a login source says so. Enough to be linked (S12). */
  readonly isProven: boolean;
}

export const emailSchema: Joi.ObjectSchema<object> = Joi.object({
  email: Joi.string(),
  verified: Joi.boolean(),
  primary: Joi.boolean(),
  user_id: Joi.number().integer(),
  username: Joi.string().allow(''),
}).label('Email');

/** Addresses of accounts. */
export interface Emails {
  list(userId: number): Promise<EmailAddress[]>;
  add(
    userId: number,
    emails: readonly string[],
    options?: { verified?: boolean; confirmed?: boolean },
  ): Promise<EmailAddress[]>;
  /** A mail to the address was answered: others who only claimed it lose it. NotFound: the account does not have it. */
  confirm(userId: number, email: string): Promise<void>;
  /** An administrator says that it is theirs, which takes it from nobody. NotFound: the account does not have it. */
  vouch(userId: number, email: string): Promise<void>;
  remove(userId: number, emails: readonly string[]): Promise<void>;
  makePrimary(userId: number, email: string): Promise<void>;
  search(search: { text?: string; limit: number; offset: number }): Promise<{ items: EmailAddress[]; total: number }>;
}
export const emails = defineService<Emails>('accounts.emails');

const address =
  /^[A-Za-z0-9][A-Za-z0-9.!#$%&'*+\-/=?^_`{|}~]*@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

/** May it be an address for mail? */
export function isEmailAddress(email: string): boolean {
  return email.length <= 254 && address.test(email);
}
