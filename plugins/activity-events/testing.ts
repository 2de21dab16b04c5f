/** For tests of plugins that record activity events. */
import { definePlugin, type PluginDefinition } from '@mortise/plugin-sdk';
import { activityEventKinds, activityRecorded, type ActivityEvent, type ActivityEventKind } from './api.js';

/** A plugin that collects what is recorded. */
interface ActivityListener {
  readonly plugin: PluginDefinition;
  /** All events, the oldest first; tests may empty it. */
  readonly events: ActivityEvent[];
  /** The kind of an event, which describes it. */
  kindOf(event: ActivityEvent): ActivityEventKind;
}

export function activityListener(): ActivityListener {
  const events: ActivityEvent[] = [];
  let kinds: readonly ActivityEventKind[] = [];
  const plugin = definePlugin({
    name: 'activity-listener',
    version: '1.0.0',
    sdk: '^1.0.0',
    requires: { 'activity-events': '^1.0.0' },
    register(host) {
      const point = host.point(activityEventKinds);
      host.onStart({}, async () => {
        kinds = point.list();
      });
      host.on(activityRecorded, 'after', 'collect', {}, async ({ activityEvents }) => {
        events.push(...activityEvents);
      });
    },
  });
  return { plugin, events, kindOf: (event) => kinds.find(({ key }) => key === event.kind)! };
}
