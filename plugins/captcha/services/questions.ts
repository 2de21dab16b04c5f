import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { isUniqueViolation, type Database, type Encryption } from '@mortise/plugin-sdk';
import { UseRow } from '../models/use.js';

export const digitCount = 6;
/** Fields of the form. */
export const idField = 'img-captcha-id';
export const answerField = 'img-captcha-response';
const spanMs = 10 * 60_000;

interface Question {
  readonly id: string;
  readonly digits: string;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/**
 * Questions of the picture. Nothing is stored for those that nobody answers: the form keeps the question, sealed. Each is
 * good for one answer on all processes, right or wrong, within ten minutes.
 */
export class Questions {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {}

  /** What the form and the address of the picture carry. */
  make(): string {
    const digits = Array.from({ length: digitCount }, () => String(randomInt(10))).join('');
    const question: Question = { id: randomBytes(32).toString('base64url'), digits, end: Date.now() + spanMs };
    return Buffer.from(this.encryption.encrypt(JSON.stringify(question)).slice(2), 'base64').toString('base64url');
  }

  /** Undefined: too old, or not ours. */
  open(token: string): Question | undefined {
    if (!/^[\w-]{40,400}$/.test(token)) return undefined;
    const text = this.encryption.decrypt(`1:${Buffer.from(token, 'base64url').toString('base64')}`);
    if (text === '') return undefined;
    const question = JSON.parse(text) as Question;
    return question.end > Date.now() ? question : undefined;
  }

  async answer(token: string, given: string): Promise<boolean> {
    const question = this.open(token);
    if (!question || !(await this.#use(question))) return false;
    const [answer, right] = [Buffer.from(given.replace(/\s/g, '')), Buffer.from(question.digits)];
    return answer.length === right.length && timingSafeEqual(answer, right);
  }

  async #use({ id, end }: Question): Promise<boolean> {
    try {
      await this.database.write(async () => {
        await this.database.query(UseRow).delete().where('expires_at', '<', Date.now());
        await this.database.query(UseRow).insert({ id, expires_at: end });
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }
}
