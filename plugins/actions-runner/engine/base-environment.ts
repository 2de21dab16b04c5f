import { arch } from 'node:process';
import { toText, type ValueMap } from '@mortise/actions/workflow';
import { jobMark } from './process-cleanup.js';
import type { RunnerHost } from './types.js';

/** What steps see of the machine's environment. */
const inherited =
  /^(?:PATH|LANG|LANGUAGE|LC_.*|TZ|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

/** Paths of one job. */
export interface Folders {
  readonly root: string;
  readonly workspace: string;
  readonly home: string;
  readonly temp: string;
  readonly actions: string;
}

const fromContext =
  'actor triggering_actor repository repository_owner run_id run_number run_attempt event_name job workflow ref ref_name ref_type ref_protected sha head_ref base_ref'.split(
    ' ',
  );

/** The variables that every step has, without those of the workflow. */
export function baseEnvironment(github: ValueMap, host: RunnerHost, folders: Folders): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env))
    if (value !== undefined && inherited.test(key)) env[key] = value;
  env.PATH ??= '/usr/local/bin:/usr/bin:/bin';
  for (const key of fromContext) env[`GITHUB_${key.toUpperCase()}`] = toText(github[key] ?? '');
  const text = (key: string): string => toText(github[key] ?? '');
  const server = host.serverUrl || text('server_url').replace(/\/+$/, '');
  const token = text('gitea_runtime_token') || text('token');
  const idToken = text('actions_id_token_request_token');
  return Object.assign(env, {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITEA_ACTIONS: 'true',
    GITEA_ACTIONS_RUNNER_VERSION: host.version,
    GITHUB_SERVER_URL: server,
    GITHUB_API_URL: server ? `${server}/api/v1` : '',
    GITHUB_GRAPHQL_URL: '',
    GITHUB_WORKSPACE: folders.workspace,
    GITHUB_EVENT_PATH: `${folders.temp}/event.json`,
    GITHUB_RETENTION_DAYS: text('retention_days'),
    RUNNER_OS: process.platform === 'darwin' ? 'macOS' : 'Linux',
    RUNNER_ARCH: arch === 'x64' ? 'X64' : arch === 'arm64' ? 'ARM64' : arch.toUpperCase(),
    RUNNER_NAME: host.runnerName,
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_TEMP: folders.temp,
    RUNNER_TOOL_CACHE: host.toolFolder,
    RUNNER_WORKSPACE: folders.root,
    HOME: folders.home,
    [jobMark]: folders.root,
    ...(server
      ? {
          ACTIONS_RUNTIME_URL: `${server}/api/actions_pipeline/`,
          ACTIONS_RESULTS_URL: server,
          ACTIONS_RUNTIME_TOKEN: token,
          ACTIONS_CACHE_URL: `${server}/api/actions_pipeline/`,
        }
      : {}),
    ...(idToken
      ? {
          ACTIONS_ID_TOKEN_REQUEST_URL: text('actions_id_token_request_url'),
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: idToken,
        }
      : {}),
  });
}
