import type { QueryBuilder } from 'objection';
import { contains, containsInAnyCase, Invalid } from '@mortise/plugin-sdk';
import type { RepositorySearch } from '../contract/repositories.js';
import { RepositoryTopicRow } from '../models/repository-topic.js';
import { TopicRow } from '../models/topic.js';
import type { RepositoryRow } from '../models/repository.js';
import { t } from '../texts/index.js';

export const ownerContains = (text: string) => contains('repository.lower_owner_name', text);

/** `owner` of `owner/name`, as people read it. */
export function ownerIn(text: string): string | undefined {
  const parts = text.split('/');
  return parts.length === 2 ? parts[0] : undefined;
}

/** More than people look for at once; databases refuse conditions of hundreds of parts, and each costs a scan. */
const maxWords = 30;

/** Names, topics and, when asked, descriptions that hold one of the words of the text. */
export function matching({ text = '', topicOnly, includeDescription }: RepositorySearch) {
  const given = text.split(',').map((word) => word.trim().toLowerCase());
  const words = [...new Set(given)].filter(Boolean);
  if (words.length > maxWords) throw Invalid(t.later('error.searchWords', { max: maxWords }));
  return (either: QueryBuilder<RepositoryRow>): void => {
    if (!words.length) void either.whereNotIn('repository.id', []);
    for (const word of words) {
      const topics = TopicRow.query().select('id');
      if (topicOnly) void topics.where('name', word);
      else void topics.where(contains('name', word));
      void either.orWhereIn(
        'repository.id',
        RepositoryTopicRow.query().select('repository_id').whereIn('topic_id', topics),
      );
      if (topicOnly) continue;
      void either.orWhere(contains('repository.lower_name', word));
      const owner = ownerIn(word);
      if (owner !== undefined)
        void either.orWhere((path) => {
          void path.where(ownerContains(owner));
          void path.where(contains('repository.lower_name', word.slice(owner.length + 1)));
        });
      if (includeDescription) void either.orWhere(containsInAnyCase('repository.description', word));
    }
  };
}
