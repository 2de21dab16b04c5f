"""Runs scim2-tester against a server: ADDRESS TOKEN. Prints a line for each check that it does not pass, then their number."""

import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import Status, check_server

address, token = sys.argv[1:]
good = (Status.SUCCESS, Status.COMPLIANT, Status.ACCEPTABLE, Status.SKIPPED)
with Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
    results = check_server(SyncSCIMClient(client))
for result in results:
    if result.status not in good:
        print(result.status.name, result.title, result.resource_type, result.reason)
print(len(results), "checks")
