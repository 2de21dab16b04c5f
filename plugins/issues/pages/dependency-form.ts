import { BadRequest, formText, Invalid, NotFound, toId, type Actor, type FormValues } from '@mortise/plugin-sdk';
import { mustBeActive } from '@mortise/repositories/api';
import { unitOf, type IssueContext } from '../api.js';
import { hasDependencies, type DependencyService } from '../services/dependencies.js';
import { t } from '../texts/index.js';

/** Adds or removes a dependency as the form at the side of an issue says: `which`, and `issue` or `remove`. */
export async function changeDependency(
  dependencies: DependencyService,
  resource: IssueContext,
  actor: Actor,
  values: FormValues,
): Promise<void> {
  const { issue, repository } = resource;
  if (!hasDependencies(repository)) throw BadRequest(t.later('error.dependenciesOff'));
  const isBlocks = formText(values, 'which') === 'blocks';
  const gone = toId(formText(values, 'remove'));
  if (gone) {
    const other = await dependencies.other(gone, actor);
    if (isBlocks) {
      mustBeActive(other.context);
      if (!other.context.may('write', unitOf(other.issue))) throw NotFound('issue');
      await dependencies.remove(other.issue, resource, actor);
    } else await dependencies.remove(issue, other, actor);
    return;
  }
  const [, owner = repository.ownerName, repo = repository.name, digits] =
    /^(?:.*?([\w.-]+)\/([\w.-]+?)(?:\/(?:issues|pulls)\/|#))?#?(\d{1,9})$/.exec(formText(values, 'issue', 300)) ?? [];
  if (!digits) throw Invalid(t.later('dependencies.wrong'), { inputs: { issue: t.later('dependencies.wrong') } });
  const other = await dependencies.named({ owner, repo, index: Number(digits) }, actor, repository);
  const [waiting, awaited] = isBlocks ? [other, resource] : [resource, other];
  await dependencies.checkBothIssues(waiting, awaited, actor);
  await dependencies.add(waiting.issue, awaited.issue, actor);
}
