import { anonymous, apiTime } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ApiAttachment, Attachment, Attachments } from '@mortise/attachments/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { ApiRelease, Release } from '../contract/releases.js';
import { releaseFiles } from './files.js';

export const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** Makes the model `Release`, and addresses. */
export class ReleasePresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositories: Pick<Repositories, 'htmlUrl' | 'apiUrl'>;
      readonly attachments: Attachments;
    },
  ) {}

  htmlUrl = (repository: Repository, { tagName }: Pick<Release, 'tagName'>): string =>
    `${this.deps.repositories.htmlUrl(repository)}/releases/tag/${encoded(tagName)}`;

  /** The file with its address by tag and name, which people can read and write by hand. */
  assetToApi(repository: Repository, { tagName }: Pick<Release, 'tagName'>, file: Attachment): ApiAttachment {
    const { attachments, repositories } = this.deps;
    const downloads = `${repositories.htmlUrl(repository)}/releases/download`;
    return attachments.toApi(file, `${downloads}/${encoded(tagName)}/${encodeURIComponent(file.name)}`);
  }

  /** Authors are shown as to anybody. */
  async toApi(repository: Repository, releases: readonly Release[]): Promise<ApiRelease[]> {
    const { accounts, repositories, attachments } = this.deps;
    const assets = await attachments.list(
      releaseFiles,
      releases.map((release) => release.id),
    );
    const users = await accounts.byIds([...new Set(releases.map((release) => release.authorId))].filter(Boolean));
    const home = repositories.htmlUrl(repository);
    return releases.map((release) => {
      const author = users.get(release.authorId);
      const url = `${repositories.apiUrl(repository)}/releases/${release.id}`;
      const archive = `${home}/archive/${encoded(release.tagName)}`;
      return {
        id: release.id,
        tag_name: release.tagName,
        target_commitish: release.target,
        name: release.title,
        body: release.note,
        url,
        html_url: this.htmlUrl(repository, release),
        tarball_url: `${archive}.tar.gz`,
        zipball_url: `${archive}.zip`,
        upload_url: `${url}/assets`,
        draft: release.isDraft,
        prerelease: release.isPrerelease,
        created_at: apiTime(release.createdAt),
        published_at: apiTime(release.publishedAt || release.createdAt),
        author: author ? accounts.toApiUser(author, anonymous) : accounts.ghost(),
        assets: (assets.get(release.id) ?? []).map((file) => this.assetToApi(repository, release, file)),
      };
    });
  }
}
