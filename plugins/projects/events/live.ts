import type { ChannelKind } from '@mortise/plugin-sdk';
import { boardChannel } from '../services/audience.js';
import type { ProjectServices } from '../services/services.js';

interface BoardNews {
  readonly projectId: number;
}

/** Open pages of a board hear that something changed, and read anew what they may see of it. */
export const boardNews = ({ services }: { readonly services: ProjectServices }): ChannelKind<BoardNews> => ({
  key: boardChannel,
  async authorize(actor, { projectId }) {
    const project = await services.reader.byId(projectId);
    const place = project && (await services.places.ofProject(actor, project));
    return place?.may('read') ?? false;
  },
  message: (_actor, { projectId }) => ({ eventType: boardChannel, eventData: { project_id: projectId } }),
});

/** With each change of a board, its columns and its cards. */
export const tellOpenPages = async (
  { projectId }: { readonly projectId: number },
  { services }: { readonly services: ProjectServices },
): Promise<void> => services.audience.tell(projectId);
