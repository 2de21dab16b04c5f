import { submitForm, type FormFields, type TestClient, type TestHostOptions } from '@mortise/plugin-sdk/testing';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';

/** ada owns the organizations, ben is in a team of each, cat knows nobody. */
export interface PageScene extends Scene {
  readonly cat: SignedIn;
}

export async function startPages(
  plugins: readonly string[] = [],
  settings: TestHostOptions['settings'] = {},
): Promise<PageScene> {
  const scene = await startScene({
    plugins: ['organizations', 'repositories', 'stars', 'forks', ...plugins],
    settings,
  });
  return { ...scene, cat: await signUp(scene.host, 'cat') };
}

/** An organization of ada with a team `crew`, in which ben is. */
export async function makeOrganization(scene: PageScene, name: string, more: object = {}): Promise<void> {
  await send(scene.ada, 'POST', '/orgs', { username: name, ...more });
  await makeTeam(scene, name, 'crew', ['ben']);
}

/** A team of an organization of ada; gives its id. */
export async function makeTeam(
  scene: PageScene,
  organization: string,
  name: string,
  members: readonly string[] = [],
  more: object = {},
): Promise<number> {
  const option = { name, units: ['repo.code'], permission: 'read', ...more };
  const { id } = (await send(scene.ada, 'POST', `/orgs/${organization}/teams`, option)).json as { id: number };
  for (const member of members) await send(scene.ada, 'PUT', `/teams/${id}/members/${member}`);
  return id;
}

type Client = Pick<TestClient, 'inject'>;

/** The HTML of a page, or its status where that is not 200. */
export async function look(client: Client, url: string): Promise<string> {
  const answer = await client.inject(url);
  return answer.statusCode === 200 ? answer.payload : String(answer.statusCode);
}
export const statusOf = async (client: Client, url: string): Promise<number> => (await client.inject(url)).statusCode;

/** Sends a form; gives where it leads, or the page that refuses it. */
export async function submit(client: TestClient, url: string, fields: FormFields = {}): Promise<string> {
  const answer = await submitForm(client, url, fields);
  return answer.statusCode === 303 || answer.statusCode === 302
    ? answer.headers.location!
    : `${answer.statusCode} ${answer.payload}`;
}

/** Names of the fields that are marked as refused. */
export const marked = (page: string): (string | undefined)[] => [
  ...new Set(
    [...page.matchAll(/<(?:input|textarea|select)[^>]*aria-invalid="true"[^>]*>/g)].map(
      ([tag]) => /name="([^"]*)"/.exec(tag)![1],
    ),
  ),
];
