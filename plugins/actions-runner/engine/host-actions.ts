import { readCommandFile } from './file-commands.js';
import type { StepRun } from './step-run.js';

/**
 * Built-in actions of a job with a container run outside it: images need neither Git nor Node for them, and no way to the
 * server. Paths are the same there; what else steps have said of the container is not.
 */

/** What programs outside would take for theirs: it is of the container. */
const containerOnlyVariables =
  /^(?:PATH|HOME|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GCONV_PATH|LOCPATH|TMPDIR|TAR_OPTIONS)$/;

export const hostVariables = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !containerOnlyVariables.test(name)));

const findNodesScript = `for node in "$RUNNER_TOOL_CACHE"/node/*/"$1"/bin/node "$(command -v node)"; do
  version=$("$node" --version 2>/dev/null) && echo "$version \${node%/*}" >> "$2"
done
true`;

/** The Nodes that run in the container, a line each: version and folder. */
export async function nodesInContainer(run: StepRun): Promise<string> {
  const { session, scope, signal, output } = run;
  const file = await session.file('nodes');
  const env = { ...scope.env, ...run.env };
  const options = { cwd: session.folders.workspace, env, signal, scope, output };
  await session.run('sh', ['-c', findNodesScript, 'sh', process.arch, file], options);
  return readCommandFile(file, session.host.runAs?.uid) ?? '';
}
