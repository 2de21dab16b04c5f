import { Component, h, isValidElement, options, type ComponentChildren } from 'preact';

// what `getDerivedStateFromError` stands for, also while a page is rendered to text
(options as { errorBoundaries?: boolean }).errorBoundaries = true;

interface BoundaryProps {
  readonly failed: (error: unknown) => void;
  readonly children?: ComponentChildren;
}

/** What a slot gave is rendered with the page: where a component of it throws, only the slot is left out. */
class SlotBoundary extends Component<BoundaryProps, { isBroken: boolean }> {
  static override getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.failed(error);
  }

  override render(): ComponentChildren {
    return this.state.isBroken ? null : this.props.children;
  }
}

/** The node within a boundary; whatever is no element stays as it is. */
export const slotBoundary = (node: unknown, failed: (error: unknown) => void): unknown =>
  isValidElement(node) ? h(SlotBoundary, { failed }, node) : node;
