import { anonymous, apiTime, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { ApiAsset, ApiRelease, Release, ReleaseAsset } from '../api.js';
import type { ReleaseReader } from './reader.js';

export const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/');

/** Makes the models `Release` and `Attachment`, and addresses. */
export class ReleasePresenter {
  constructor(
    private readonly parts: {
      readonly accounts: Accounts;
      readonly repositories: Pick<Repositories, 'htmlUrl' | 'apiUrl'>;
      readonly site: Site;
      readonly reader: ReleaseReader;
    },
  ) {}

  htmlUrl = (repository: Repository, { tagName }: Pick<Release, 'tagName'>): string =>
    `${this.parts.repositories.htmlUrl(repository)}/releases/tag/${encoded(tagName)}`;

  /** Authors are shown as to anybody. */
  async toApi(repository: Repository, releases: readonly Release[]): Promise<ApiRelease[]> {
    const { accounts, repositories, reader } = this.parts;
    const assets = await reader.assets(releases.map((release) => release.id));
    const people = await accounts.byIds([...new Set(releases.map((release) => release.authorId))].filter(Boolean));
    const home = repositories.htmlUrl(repository);
    return releases.map((release) => {
      const author = people.get(release.authorId);
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
        assets: (assets.get(release.id) ?? []).map(this.asset),
      };
    });
  }

  asset = (asset: ReleaseAsset): ApiAsset => ({
    id: asset.id,
    name: asset.name,
    size: asset.size,
    download_count: asset.downloadCount,
    created_at: apiTime(asset.createdAt),
    uuid: asset.uuid,
    browser_download_url: asset.externalUrl || this.parts.site.url(`/attachments/${asset.uuid}`),
  });
}
