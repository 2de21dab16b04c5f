import type { QueryBuilder } from 'objection';
import { Invalid, likePattern } from '@mortise/plugin-sdk';
import type { RepositorySearch } from '../contract/repositories.js';
import { RepositoryTopicRow } from '../models/repository-topic.js';
import { TopicRow } from '../models/topic.js';
import type { RepositoryRow } from '../models/repository.js';
import { t } from '../texts/index.js';

const like = (column: string) => `${column} like ? escape '!'`;
export const ownerLike = like('repository.lower_owner_name');

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
    if (!words.length) void either.whereRaw('1 = 1');
    for (const word of words) {
      const topics = TopicRow.query().select('id');
      if (topicOnly) void topics.where('name', word);
      else void topics.whereRaw(like('name'), [likePattern(word)]);
      void either.orWhereIn(
        'repository.id',
        RepositoryTopicRow.query().select('repository_id').whereIn('topic_id', topics),
      );
      if (topicOnly) continue;
      void either.orWhereRaw(like('repository.lower_name'), [likePattern(word)]);
      const owner = ownerIn(word);
      if (owner !== undefined)
        void either.orWhere((path) => {
          void path.whereRaw(ownerLike, [likePattern(owner)]);
          void path.whereRaw(like('repository.lower_name'), [likePattern(word.slice(owner.length + 1))]);
        });
      if (includeDescription) void either.orWhereRaw(like('lower(repository.description)'), [likePattern(word)]);
    }
  };
}
