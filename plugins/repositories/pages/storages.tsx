import type { VNode } from 'preact';
import { formatPercent, formatSize, Section } from '@mortise/plugin-sdk';
import type { RepositoryStorages } from '@mortise/git/api';
import { t } from '../texts/index.js';

type Storage = Awaited<ReturnType<RepositoryStorages['list']>>[number];

/** With less of it free, a disk is shown as full. */
const lowShare = 0.1;

/** The disks that repositories lie on, where there are several. */
export const StorageList = ({ storages }: { readonly storages: readonly Storage[] }): VNode | null =>
  storages.length < 2 ? null : (
    <Section title={t('admin.storages')}>
      <table class="data-table">
        <thead>
          <tr>
            <th scope="col">{t('admin.storage')}</th>
            <th scope="col">{t('admin.storage.free')}</th>
            <th scope="col">{t('admin.storage.size')}</th>
            <th scope="col">{t('admin.storage.share')}</th>
          </tr>
        </thead>
        <tbody>
          {storages.map((storage) => (
            <StorageRow key={storage.name} storage={storage} share={shareOf(storage, storages)} />
          ))}
        </tbody>
      </table>
    </Section>
  );

/** Which part of new repositories comes to the storage. */
const shareOf = ({ weight }: Storage, storages: readonly Storage[]): number =>
  weight === 0 ? 0 : weight / storages.reduce((sum, one) => sum + one.weight, 0);

const StorageRow = ({ storage, share }: { readonly storage: Storage; readonly share: number }): VNode => {
  const { name, path, disk } = storage;
  return (
    <tr>
      <th scope="row" class="text-normal">
        <span class="text-bold">{name}</span>
        <span class="d-block text-mono color-fg-muted wb-break-word">{path}</span>
      </th>
      <td>{disk ? <Free disk={disk} /> : <span class="Label Label--danger">{t('admin.storage.away')}</span>}</td>
      <td class="no-wrap">{disk && formatSize(disk.totalBytes)}</td>
      <td>{share === 0 ? t('admin.storage.nothing') : formatPercent(share, 0)}</td>
    </tr>
  );
};

/** The numbers, and how full it is as a bar. */
const Free = ({ disk: { totalBytes, freeBytes } }: { readonly disk: NonNullable<Storage['disk']> }): VNode => {
  const free = totalBytes > 0 ? freeBytes / totalBytes : 0;
  return (
    <>
      {formatSize(freeBytes)} ({formatPercent(free, 0)})
      <span class="Progress mt-1" aria-hidden="true">
        <span
          class={`Progress-item ${free < lowShare ? 'color-bg-danger-emphasis' : 'color-bg-success-emphasis'}`}
          style={{ width: `${Math.round((1 - free) * 100)}%` }}
        />
      </span>
    </>
  );
};
