"""The floor of `gotn --help`: a program that does nothing but use Typer."""

import typer

app = typer.Typer()


@app.command()
def hello(name: str = "you") -> None:
    """Say hello."""
    typer.echo(f"Hello {name}")


if __name__ == "__main__":
    app()
