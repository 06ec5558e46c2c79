def show(x):
    print(*(f"{value:.6f}" for value in x.flatten()[:6].tolist()))
