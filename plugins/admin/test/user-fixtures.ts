import { startHost, type TestHost, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';

/** A host with an administrator and a user. */
export interface AdminScene {
  readonly host: TestHost;
  readonly root: SignedIn;
  readonly ada: SignedIn;
}

export async function startAdmin(options: Partial<TestHostOptions> = {}): Promise<AdminScene> {
  const host = await startHost({ plugins: ['admin'], ...options });
  return { host, root: await signUp(host, 'root', { isAdmin: true }), ada: await signUp(host, 'ada') };
}
