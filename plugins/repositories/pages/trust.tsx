import { Invalid, Section, SelectField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { trustModels, type Repository, type TrustModel } from '../api.js';

const labels: Readonly<Record<TrustModel, string>> = {
  default: 'Whom this site trusts by default',
  collaborator: 'The owner and collaborators',
  committer: 'The committer',
  collaboratorcommitter: 'The committer, being the owner or a collaborator',
};

/** The form in which the trust model of a repository is chosen. */
export function TrustSection({ repository, action, csrf }: { repository: Repository; action: string; csrf: VNode }) {
  return (
    <Section title="Signatures">
      <form method="post" action={action}>
        {csrf}
        <input type="hidden" name="action" value="trust" />
        <SelectField
          name="trust_model"
          label="Trusted are signatures of"
          value={repository.trustModel}
          options={trustModels.map((model) => [model, labels[model]])}
          note="Other verified signatures are marked as untrusted, or as unmatched where the signer is not the committer."
        />
        <button class="btn btn-primary" type="submit">
          Save trust
        </button>
      </form>
    </Section>
  );
}

export function trustModelOf(text: string): TrustModel {
  const found = trustModels.find((model) => model === text);
  if (!found) throw Invalid(`the trust model is one of ${trustModels.join(', ')}`);
  return found;
}
