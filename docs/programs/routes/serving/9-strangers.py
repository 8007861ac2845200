import copy
import json
import sys
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer

import torch
from torch import nn

HIGHEST = torch.tensor([9000, 30, 23, 1])  # in the training; the lowest are 0


def trips(count, seed):
    """Metres, parcels, hour, rain (0 or 1) of deliveries, and their minutes."""
    own = torch.Generator().manual_seed(seed)
    x = torch.rand(count, 4, generator=own) * torch.tensor([9000, 30, 24, 2])
    metres, parcels, hour, rain = x.floor().T
    busy = (hour >= 16) & (hour < 19)
    minutes = 5 + metres / 300 * (1 + busy) + parcels / 2 + 6 * rain
    return x.floor(), minutes + torch.randn(count, generator=own)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("std", torch.ones(4))
        self.first = nn.Linear(4, 64)
        self.drop = nn.Dropout(0.2)
        self.last = nn.Linear(64, 1)

    def forward(self, x):
        x = (x - self.mean) / self.std
        return self.last(self.drop(self.first(x).relu()))[:, 0]


@torch.inference_mode()  # no graph is kept
def report(model):
    model.eval()  # dropout is off from here on
    x, minutes = trips(1000, seed=2)
    print(f"new trips: off by {(model(x) - minutes).abs().mean():.1f} minutes")
    for _ in range(2):
        print(f"the first of them takes {model(x[:1]).item():.1f} minutes")


@torch.inference_mode()
def keep(model):
    """The weights, and with them 64 questions and what the model answers."""
    model.eval()
    questions, _ = trips(64, seed=3)
    answers = model(questions)
    exact = copy.deepcopy(model).double()(questions.double())
    allowed = 10 * (answers - exact).abs().max().item()
    known = {"questions": questions, "answers": answers, "allowed": allowed}
    torch.save({"model": model.state_dict(), **known}, "weights.pt")


def fit():
    torch.manual_seed(0)
    x, minutes = trips(2000, seed=1)
    model = Net()
    model.mean, model.std = x.mean(0), x.std(0)  # part of the model from now on
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(10):
        for rows in torch.randperm(len(x)).split(50):
            loss = nn.functional.mse_loss(model(x[rows]), minutes[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    report(model)
    keep(model)


def weights():
    model = Net()
    state = torch.load("weights.pt", weights_only=True)
    model.load_state_dict(state["model"])
    return model.eval()


def export():
    example, _ = trips(2, seed=4)  # not 1: that size would be fixed
    sizes = {0: torch.export.Dim("rows", max=64)}
    program = torch.export.export(weights(), (example,), dynamic_shapes=(sizes,))
    torch.export.save(program, "exported.pt2")


def exported():
    return torch.export.load("exported.pt2").module()


@torch.inference_mode()
def compiled():
    model = torch.compile(weights(), dynamic=True)
    for size in (2, 1):  # each compiles: size 1 is a case of its own
        model(trips(size, seed=4)[0])
    torch.compiler.set_stance("fail_on_recompile")  # no request shall wait
    return model


def package():
    program = torch.export.load("exported.pt2")
    torch._inductor.aoti_compile_and_package(program, package_path="packaged.pt2")


def packaged():
    return torch._inductor.aoti_load_package("packaged.pt2")


def write_onnx():
    graph = torch.export.load("exported.pt2")
    torch.onnx.export(graph, (), "model.onnx", external_data=False, verbose=False)


def onnx():
    from onnx.reference import ReferenceEvaluator

    run = ReferenceEvaluator("model.onnx").run
    return lambda x: torch.from_numpy(run(None, {"x": x.numpy()})[0])


def table(body):
    """The trips of a request, or a ValueError that says what to send."""
    try:
        x = torch.tensor(json.loads(body), dtype=torch.float32)
    except Exception:  # whatever it is, it is no table of numbers
        raise ValueError("send a list of trips: [[2500, 3, 17, 1]]") from None
    if x.ndim != 2 or x.shape[1] != 4 or not 1 <= len(x) <= 64:
        raise ValueError(f"send 1 to 64 trips of 4 numbers, not {list(x.shape)}")
    if not ((x >= 0) & (x <= HIGHEST)).all():  # so NaN does not pass either
        raise ValueError(f"send numbers from 0 to {HIGHEST.tolist()}")
    return x


class Handler(BaseHTTPRequestHandler):
    timeout = 30  # seconds that a silent client can hold up the others

    def do_POST(self):
        try:
            size = int(self.headers["Content-Length"] or 0)
            if not 0 < size <= 10_000:
                raise ValueError("send 1 to 10000 bytes, and their number")
            x = table(self.rfile.read(size))
        except ValueError as error:
            return self.reply(400, {"error": str(error)})
        with torch.inference_mode():  # counts for this thread alone
            self.reply(200, {"minutes": self.server.answer(x).tolist()})

    def reply(self, status, said):
        body = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_):
        """No line on the terminal for each answer."""


def listening(port):
    torch.set_num_threads(1)
    answer = exported()
    check("exported", answer)  # warm, and right, before anyone can ask
    server = HTTPServer(("127.0.0.1", port), Handler)  # for this computer only
    server.answer = answer
    return server


def post(port, rows):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/", json.dumps(rows))
    return json.load(connection.getresponse())


def serve(port):
    server = listening(int(port))
    try:
        print(f"listening on port {server.server_port}", flush=True)
        server.serve_forever()
    except KeyboardInterrupt:
        print("stopped")


def ask(port, *trip):
    print(post(int(port), [[float(number) for number in trip]]))


def served():
    server = listening(0)  # 0: any free port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return lambda x: torch.tensor(post(server.server_port, x.tolist())["minutes"])


FORMS = {
    "weights": weights,
    "exported": exported,
    "compiled": compiled,
    "packaged": packaged,
    "onnx": onnx,
    "served": served,
}


@torch.inference_mode()
def check(form, answer=None):
    """Stop, unless this form of the model answers as the trained model did."""
    answer, worst = answer or FORMS[form](), 0.0
    known = torch.load("weights.pt", weights_only=True)
    right, allowed = known["answers"], known["allowed"]
    for size in (64, 7, 1):
        said = torch.cat([answer(x) for x in known["questions"].split(size)])
        torch.testing.assert_close(said, right, rtol=0, atol=allowed)
        worst = max(worst, (said - right).abs().max().item())
    print(f"{form}: off by {worst:.6f} minutes, allowed {allowed:.6f}")


COMMANDS = {
    "fit": fit,
    "check": check,
    "export": export,
    "package": package,
    "write-onnx": write_onnx,
    "serve": serve,
    "ask": ask,
}

if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["fit"]
    COMMANDS[command](*rest)
