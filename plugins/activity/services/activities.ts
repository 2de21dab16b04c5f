import type { Actor } from '@mortise/plugin-sdk';
import type { Activities, Activity, ActivitySearch, NewActivity } from '../contract/activity.js';
import type { ActivityFinder } from './finder.js';
import type { Presenter } from './presenter.js';
import type { Recorder } from './recorder.js';

/** What other plugins see of this one. */
export class ActivityService implements Activities {
  constructor(
    private readonly deps: {
      readonly recorder: Recorder;
      readonly finder: ActivityFinder;
      readonly presenter: Presenter;
    },
  ) {}

  record(activity: NewActivity): Promise<void> {
    return this.deps.recorder.record(activity);
  }
  search(search: ActivitySearch, actor: Actor): Promise<{ items: Activity[]; total: number }> {
    return this.deps.finder.search(search, actor);
  }
  heatmap(userId: number, actor: Actor): ReturnType<Activities['heatmap']> {
    return this.deps.finder.heatmap(userId, actor);
  }
  toApi(activities: readonly Activity[], actor: Actor): Promise<Record<string, unknown>[]> {
    return this.deps.presenter.toApi(activities, actor);
  }
}
