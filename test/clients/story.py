"""The story of api-clients.test.mjs with py-gitea: what it has words for by them, the rest by its requests."""
import base64
import sys
import time
from gitea import Gitea, Branch, Issue, Repository

address, ada_token, ben_token = sys.argv[1:]
ada, ben = Gitea(address, ada_token), Gitea(address, ben_token)
encode = lambda text: base64.b64encode(text.encode()).decode()

user = ada.get_user()
# its own answer holds no connection
user.create_repo("tale", "A tale", False, autoInit=True, default_branch="main")
repo = Repository.request(ada, "ada", "tale")
assert repo.get_full_name() == "ada/tale"
ada.requests_put("/repos/ada/tale/collaborators/ben", {"permission": "write"})
issue = Issue.create_issue(ada, repo, "It is missing", "A file.")
milestone = repo.create_milestone("one", "the first")
issue.milestone = milestone
issue.commit()
assert Issue.request(ada, "ada", "tale", str(issue.number)).milestone.title == "one"
main = [branch for branch in repo.get_branches() if branch.name == "main"][0]
branch = repo.add_branch(main, "add-it")
assert branch.name == "add-it"
repo.create_file("it.txt", encode("here it is\n"), {"branch": "add-it", "message": "Add it"})
pull = ben.requests_post(
    "/repos/ada/tale/pulls",
    {"title": "Add it", "body": f"Closes #{issue.number}", "head": "add-it", "base": "main"},
)
assert pull["changed_files"] == 1, pull
review = ada.requests_post(f"/repos/ada/tale/pulls/{pull['number']}/reviews", {"event": "APPROVED", "body": "Good."})
assert review["state"] == "APPROVED", review
ada.requests_post(f"/repos/ada/tale/pulls/{pull['number']}/merge", {"Do": "merge"})
assert repo.get_file_content(repo.get_git_content()[-1]) is not None
release = ada.requests_post("/repos/ada/tale/releases", {"tag_name": "v1.0.0", "name": "First"})
assert release["tag_name"] == "v1.0.0"
for _ in range(100):
    if Issue.request(ada, "ada", "tale", str(issue.number)).state == "closed":
        break
    time.sleep(0.1)
assert Issue.request(ada, "ada", "tale", str(issue.number)).state == "closed"
assert [one.title for one in repo.get_issues_state(Issue.CLOSED)].count("It is missing") == 1
assert Repository.request(ada, "ada", "tale").name == "tale"
print("done")
